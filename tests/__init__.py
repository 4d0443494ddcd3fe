"""The test suite; never part of the wheel."""
