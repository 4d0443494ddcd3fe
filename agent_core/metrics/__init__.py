"""Sums and alerts folded from events."""
