"""The parts of the console's window. Views know nothing of each other: the main window puts them together."""
