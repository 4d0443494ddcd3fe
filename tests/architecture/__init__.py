"""Tests of the source itself: layers, budgets, banned calls, packaging."""
