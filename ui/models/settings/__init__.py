"""Rows and words of the settings pages. Pure."""
