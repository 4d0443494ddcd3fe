"""Points 4 and 5: recorded answers with faults, cut and killed at every event; and a service that fails for long."""
