"""Numbered, frozen migrations, and the frozen schema that each of them leads to."""
