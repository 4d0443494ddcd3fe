"""Helpers shared by tests: fakes, builders and fixtures that belong to no single layer."""
