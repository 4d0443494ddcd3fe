"""Points 2 and 3: one decision a card, and an approval binds exactly what it was given for."""
