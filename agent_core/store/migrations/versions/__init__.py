"""One script a schema, never changed once it was released."""
