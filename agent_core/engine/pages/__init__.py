"""Pages: sessions and decisions as HTML that needs nothing else."""
