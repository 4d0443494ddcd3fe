"""Torture: what the harness promises, tried until something gives. `python -m tests.torture` prints the figures.

One module or package a point; `points.py` lists them. The same functions run in pytest on short seeded slices.
"""
