"""The headless engine: agents as a durable list of events, gated by an operator."""

__version__ = "0.1.0"
