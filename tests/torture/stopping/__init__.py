"""Point 13: everything is still within a second, a frozen console too; the halt stays; denials contain a tool."""
