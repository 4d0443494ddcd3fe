"""Point 14: whoever writes into the database, or calls from a tool, approves nothing and is found out."""
