"""The trace without Qt: a session's events and its streaming text become rows, lines and details."""
