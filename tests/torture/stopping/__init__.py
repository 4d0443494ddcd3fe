"""Point 13: stop is separate from the agent, reaches what is frozen, and outlives restarts."""
