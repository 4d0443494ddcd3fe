"""What views show, computed from events and summaries; no widgets here."""
