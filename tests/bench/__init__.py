"""The benchmark: `python -m tests.bench`. Every figure is a ratio of two measurements that were taken side by side.

Nothing here is a test and nothing here is asserted: docs/benchmarks.md says how to read the table.
"""
