"""Where model responses come from, one service a file."""
