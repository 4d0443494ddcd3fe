"""The only place with effects: runs, turns, decisions and recovery."""
