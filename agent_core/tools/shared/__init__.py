"""What tool families share: the workspace behind its walls, previews, texts."""
