"""The journal on disk: database, sessions, migrations."""
