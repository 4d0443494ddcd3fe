"""Where a person decides: the queue, the card, its footer and forms, and the full review of what cannot be undone."""
