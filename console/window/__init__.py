"""The parts of the window, each of which knows one thing: frame, session, cards, pages, dialogs, shortcuts."""
