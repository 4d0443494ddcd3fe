"""The loops that are compared: each a worker module with the same task, `run(url, steps, runs)`."""
