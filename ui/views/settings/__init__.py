"""The settings: a list of pages at the left, the page at the right."""
