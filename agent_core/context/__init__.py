"""What a model is shown: assembly, slots, clearing, compaction, notes."""
