"""Operators' keys: one an operator and home, made at first use, in the keyring or else in a file of the home.

A key stays where it was made: a process that cannot reach it refuses to decide and names the place. Its public half is
an event of the home's chain, and besides a file outside the database (`keys/ID.pub`), so a row alone proves no key.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from agent_core.config.atomic_file import write_atomically
from agent_core.config.secret_store import SecretStore, StoreState
from agent_core.model.clock import Clock
from agent_core.model.errors import LOCKED, DecisionRefused, PilothouseError, StaleHead
from agent_core.model.events import Draft, OperatorKeyAdded
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import OperatorProfile
from agent_core.model.proposal import Decision
from agent_core.store import reading, signatures
from agent_core.store.faults import storage_faults
from agent_core.store.journal import Journal
from agent_core.store.names import file_name
from agent_core.store.sealing import SHORTEST, is_sealed, seal, unseal
from agent_core.store.signatures import OperatorKey

KEYRING, FILE = "keyring", "file"


class OperatorKeys:
    """The keys of one home. Those that were used stay in memory."""

    def __init__(self, journal: Journal, secrets: SecretStore, clock: Clock) -> None:
        self._journal = journal
        self._folder = journal.database.home.keys
        self._secrets = secrets
        self._clock = clock
        self._loaded: dict[str, OperatorKey] = {}

    async def of(self, operator: str) -> OperatorKey:
        """The operator's key, made when there is none yet. Raises DecisionRefused (no_key), naming the place."""
        if operator not in self._loaded:
            known = [added for added in await self._added() if added.operator == operator]
            self._loaded[operator] = await (self._load(known[-1]) if known else self.renew(operator))
        return self._loaded[operator]

    async def is_locked(self, operator: str) -> bool:
        """Whether the operator's key lies under a passphrase that this process was not given yet."""
        if operator in self._loaded:
            return False
        known = [added for added in await self._added() if added.operator == operator]
        return bool(known) and await self._journal.off_thread(lambda: is_sealed(self._stored(known[-1]) or ""))

    async def unlock(self, operator: str, passphrase: str) -> None:
        """Open the operator's key for this process. Raises DecisionRefused (wrong_passphrase, no_key)."""
        known = [added for added in await self._added() if added.operator == operator]
        if known:
            self._loaded[operator] = await self._journal.off_thread(lambda: self._read(known[-1], passphrase))

    async def protect(self, operator: str, passphrase: str | None, old: str | None = None) -> None:
        """Put the operator's key under a passphrase from now on, or under none.

        The one that holds now is asked for even where the key is open here: whoever passes by an open window must not
        lock its operator out. Raises DecisionRefused (locked, wrong_passphrase, invalid).
        """
        if passphrase is not None and len(passphrase) < SHORTEST:
            raise DecisionRefused(f"A passphrase has {SHORTEST} characters or more", "invalid")
        known = [added for added in await self._added() if added.operator == operator]
        if known:
            self._loaded[operator] = await self._journal.off_thread(lambda: self._read(known[-1], old))
        key = await self.of(operator)
        added = next(one for one in reversed(await self._added()) if one.key_id == key.key_id)
        secret = key.hex if passphrase is None else seal(key.hex, passphrase)
        await self._journal.off_thread(lambda: self._store(added, secret))

    async def profiles(self) -> list[OperatorProfile]:
        """Everybody who has a key here, with the newest one."""
        newest = {added.operator: added for added in await self._added()}
        return await self._journal.off_thread(lambda: [self._profile(added) for added in newest.values()])

    def _profile(self, added: OperatorKeyAdded) -> OperatorProfile:
        secret = self._stored(added)
        return OperatorProfile(
            name=added.operator,
            may_decide=True,
            key_id=added.key_id,
            place=self._where(added),
            reachable=bool(secret),
            protected=is_sealed(secret or ""),
            unlocked=added.operator in self._loaded or (bool(secret) and not is_sealed(secret or "")),
        )

    async def renew(self, operator: str) -> OperatorKey:
        """Make a key for the operator and journal it; earlier ones still prove what they signed."""
        before = len(await self._added())
        key = OperatorKey.make(operator)
        place = await self._journal.off_thread(partial(self._keep, key))
        added = OperatorKeyAdded(operator=operator, key_id=key.key_id, public_key=key.public_hex, place=place)
        theirs = await self._publish(added, before)
        if theirs is not None:
            await self._journal.off_thread(partial(self._discard, key, place))
            key = await self._load(theirs)
        self._loaded[operator] = key
        return key

    async def _publish(self, added: OperatorKeyAdded, before: int) -> OperatorKeyAdded | None:
        """Journal a key, unless another process journaled one for the operator meanwhile: one is enough."""
        while True:
            newest = await self._journal.read_last(HOME_SESSION, 1)
            theirs = [one for one in (await self._added())[before:] if one.operator == added.operator]
            if theirs:
                return theirs[-1]
            with contextlib.suppress(StaleHead):
                draft = Draft(data=added, at=self._clock.now())
                await self._journal.append(HOME_SESSION, [draft], head=newest[0].digest if newest else "")
                return None

    async def fault_of(self, decision: Decision) -> str | None:
        """Why a decision's signature proves nothing; None when its operator did sign exactly this."""
        return self.judge(await self._added())(decision)

    def judge(self, added: list[OperatorKeyAdded]) -> Callable[[Decision], str | None]:
        """`fault_of` for many decisions, with the keys of the home's chain read before."""
        keys = {one.key_id: one for one in added}

        def fault(decision: Decision) -> str | None:
            if not decision.signature:
                return "it is not signed"
            key = keys.get(decision.key_id)
            if key is None or not self.is_ours(key):
                return f"its key {decision.key_id} is not known here"
            if key.operator != decision.by:
                return f"its key belongs to {key.operator}, not to {decision.by}"
            if not signatures.verify(decision, key.public_key):
                return "its signature does not fit"
            return None

        return fault

    def is_ours(self, key: OperatorKeyAdded) -> bool:
        """Whether this home made the key: its public half also lies outside the database."""
        try:
            pinned = self._path(key.key_id, "pub").read_text(encoding="ascii").strip()
        except (OSError, ValueError, PilothouseError):
            return False
        return pinned == key.public_key and signatures.key_id_of(pinned) == key.key_id

    def added_now(self) -> list[OperatorKeyAdded]:
        """Every key that the home's chain tells of, oldest first. Blocks."""
        with self._journal.database.reading() as connection:
            events = reading.of_kind(connection, HOME_SESSION, OperatorKeyAdded.kind)
        return [event.data for event in events if isinstance(event.data, OperatorKeyAdded)]

    async def _added(self) -> list[OperatorKeyAdded]:
        return await self._journal.off_thread(self.added_now)

    async def _load(self, added: OperatorKeyAdded) -> OperatorKey:
        return await self._journal.off_thread(lambda: self._read(added))

    def _read(self, added: OperatorKeyAdded, passphrase: str | None = None) -> OperatorKey:
        secret = self._stored(added)
        if secret is not None and is_sealed(secret):
            if passphrase is None:
                raise DecisionRefused(f"{added.operator} decides with a passphrase; give it first", LOCKED)
            secret = unseal(secret, passphrase)
            if secret is None:
                raise DecisionRefused(f"This is not the passphrase of {added.operator}", "wrong_passphrase")
        try:
            key = OperatorKey.from_hex(added.operator, secret or "")
        except ValueError:
            key = None
        if key is None or key.public_hex != added.public_key:
            raise DecisionRefused(
                f"The key of operator {added.operator} is kept in {self._where(added)}, which cannot be reached from "
                "here; decide where it can be reached",
                "no_key",
            )
        if not self.is_ours(added):  # whoever has the private half may say so again, in a home that was moved
            with storage_faults(self._folder):
                self._pin(key)
        return key

    def _where(self, added: OperatorKeyAdded) -> str:
        in_keyring = f"the keyring ({_entry(added.key_id)})"
        return in_keyring if added.place == KEYRING else str(self._path(added.key_id, "key"))

    def _stored(self, added: OperatorKeyAdded) -> str | None:
        """The private half as its place keeps it, sealed or not; None where it cannot be reached."""
        if added.place == KEYRING:
            return self._from_keyring(added.key_id)
        return _content(self._path(added.key_id, "key"))

    def _store(self, added: OperatorKeyAdded, secret: str) -> None:
        with storage_faults(self._folder):
            if added.place == KEYRING:
                self._secrets.put(_entry(added.key_id), secret)
            else:
                write_atomically(self._path(added.key_id, "key"), f"{secret}\n".encode())

    def _keep(self, key: OperatorKey) -> str:
        """Put a new key where it will stay; gives the place."""
        place = KEYRING if self._secrets.state() is StoreState.USABLE else FILE
        with storage_faults(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._pin(key)
            if place == KEYRING:
                self._secrets.put(_entry(key.key_id), key.hex)
            else:
                write_atomically(self._path(key.key_id, "key"), f"{key.hex}\n".encode())
        return place

    def _pin(self, key: OperatorKey) -> None:
        write_atomically(self._path(key.key_id, "pub"), f"{key.public_hex}\n".encode())

    def _discard(self, key: OperatorKey, place: str) -> None:
        self._path(key.key_id, "pub").unlink(missing_ok=True)
        self._path(key.key_id, "key").unlink(missing_ok=True)
        if place == KEYRING:
            self._secrets.remove(_entry(key.key_id))

    def _from_keyring(self, key_id: str) -> str | None:
        try:
            return self._secrets.get(_entry(key_id))
        except PilothouseError:
            return None

    def _path(self, key_id: str, ending: str) -> Path:
        return self._folder / f"{file_name(key_id)}.{ending}"


def _entry(key_id: str) -> str:
    return f"operator-key-{key_id}"


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
