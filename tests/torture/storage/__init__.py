"""Point 9: whatever the disk does, what was reported saved is there, and who cannot save says so and rests."""
