"""Point 12: text that lies is shown as what it is, everywhere, and fetches nothing; a flood of it holds nothing up."""
