"""The program itself: composition root, command line and the operator view in a terminal."""
