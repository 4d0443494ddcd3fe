"""The desktop console: theme, widget kit, item models and views."""
