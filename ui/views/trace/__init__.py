"""The trace on screen: a painted list of any length, with its tabs, filter and find bar."""
