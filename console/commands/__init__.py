"""One module for each family of commands. A command takes the environment and an Output, and gives its exit code."""
