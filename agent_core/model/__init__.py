"""Plain values and the pure fold: ids, events, proposals, budgets, state."""
