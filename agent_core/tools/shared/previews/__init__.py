"""Previews: what would change, computed from the real state before and after."""
