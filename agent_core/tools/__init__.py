"""What an agent can do to the world, one family a file."""
