"""Point 1: kill -9 anywhere. Real processes, forked from a server that has done its imports, and real kills."""
