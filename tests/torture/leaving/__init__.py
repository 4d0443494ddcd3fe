"""Point 10: processes that are told to go at any moment leave nothing behind, and say nothing that nobody asked for."""
