"""What an installation and an agent are told: profiles, settings, secrets."""
