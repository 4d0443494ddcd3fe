"""The home: every file that Pilothouse keeps, by name."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """Where the data of one operator lives. With PILOTHOUSE_HOME all three folders are the same one."""

    data: Path
    config: Path
    state: Path

    @classmethod
    def at(cls, folder: Path) -> "Home":
        """A home whose files all lie in one folder."""
        return cls(folder, folder, folder)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that everything lies in."""
        return (self.data, self.config, self.state)

    @property
    def database(self) -> Path:
        """The journal and the tables beside it."""
        return self.data / "pilothouse.db"

    @property
    def write_lock(self) -> Path:
        """Held by the one process that writes the database at a time."""
        return self.data / "write.lock"

    @property
    def settings(self) -> Path:
        """Settings, as TOML."""
        return self.config / "settings.toml"

    @property
    def agents(self) -> Path:
        """Agent profiles, one TOML file each."""
        return self.config / "agents"

    @property
    def keys(self) -> Path:
        """Operator keys, where there is no keyring (0700)."""
        return self.data / "keys"

    @property
    def heads(self) -> Path:
        """Heads of the chains, kept outside the database."""
        return self.data / "heads"

    @property
    def logs(self) -> Path:
        """Log and crash files."""
        return self.state / "logs"

    @property
    def leases(self) -> Path:
        """One locked file a session that is being worked."""
        return self.state / "leases"

    @property
    def window_lock(self) -> Path:
        """Held by the one console that is open on this home."""
        return self.state / "window.lock"

    @property
    def halt(self) -> Path:
        """Its presence stops everything."""
        return self.state / "halt"

    @property
    def stops(self) -> Path:
        """One file a session that is to stop."""
        return self.state / "stops"

    @property
    def processes(self) -> Path:
        """One file a child process group: PID-STARTTIME."""
        return self.state / "processes"

    @property
    def trash(self) -> Path:
        """Deleted and overwritten bytes of workspaces, by session, for the way back."""
        return self.data / "trash"

    @property
    def outbox(self) -> Path:
        """Mail that was sent, as .eml files."""
        return self.data / "outbox"

    @property
    def staging(self) -> Path:
        """Drafts that wait for a release, by session. Nothing leaves from here: a release writes the outbox."""
        return self.data / "staging"

    @property
    def backups(self) -> Path:
        """Copies of the database."""
        return self.data / "backups"

    def holds(self, folder: Path) -> bool:
        """Whether a folder is the home, or lies in it: tools see nothing there, so nobody can work in it."""
        inside = folder.resolve()
        return any(inside.is_relative_to(root.resolve()) for root in self.roots)

    def create(self) -> None:
        """Make the folders; private to the user."""
        folders = (*self.roots, self.agents, self.keys, self.heads, self.logs, self.leases)
        for folder in (*folders, self.stops, self.processes):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
