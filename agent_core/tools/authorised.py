"""The token without which no tool runs: made by the gate step alone, bound to one call as it was judged, used once."""

import hmac
import secrets
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from agent_core.model.action import GateVerdict


class CallDigest(Protocol):
    """How a call is digested: the policy's function, handed in. Gives hex SHA-256 over everything that it is given."""

    def __call__(
        self,
        *,
        tool: str,
        tool_version: str,
        arguments: dict[str, Any],
        session: str,
        call_id: str,
        verdict: GateVerdict,
        rules: Sequence[str],
        seen: dict[str, str],
    ) -> str:
        """The digest of that call."""
        ...


class Authorised(msgspec.Struct, frozen=True, kw_only=True):
    """One call that may run once, exactly as it was judged. Only a `Stamp` makes one that the executor takes."""

    tool: str
    tool_version: str
    arguments: dict[str, Any]
    session: str
    call_id: str
    verdict: GateVerdict
    rules: list[str]
    seen: dict[str, str]
    digest: str
    idempotency_key: str
    decision: str | None
    """The decision that approved it; None where the gate allowed it without asking."""
    attempt: int
    seal: str


class Stamp:
    """Makes authorisations. An executor gives out one, once; the gate step holds it and nobody else."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def authorise(
        self,
        *,
        tool: str,
        tool_version: str,
        arguments: dict[str, Any],
        session: str,
        call_id: str,
        verdict: GateVerdict,
        rules: Sequence[str],
        seen: dict[str, str],
        digest: str,
        idempotency_key: str,
        decision: str | None = None,
        attempt: int = 1,
    ) -> Authorised:
        """Let one call run. Raises ValueError for a denied call, and for an asked one that nobody approved."""
        if verdict is GateVerdict.DENY:
            raise ValueError(f"{call_id} was denied and cannot be authorised")
        if verdict is GateVerdict.ASK and not decision:
            raise ValueError(f"{call_id} has to be asked about and nobody approved it")
        bare = Authorised(
            tool=tool,
            tool_version=tool_version,
            arguments=arguments,
            session=session,
            call_id=call_id,
            verdict=verdict,
            rules=list(rules),
            seen=dict(seen),
            digest=digest,
            idempotency_key=idempotency_key,
            decision=decision,
            attempt=attempt,
            seal="",
        )
        return self._sealed(bare)

    def once_more(self, call: Authorised) -> Authorised:
        """Let a call run again, exactly as it was let run before. Raises ValueError for a token made elsewhere."""
        if not self.made(call):
            raise ValueError(f"{call.call_id} was never authorised here")
        return self._sealed(msgspec.structs.replace(call, attempt=call.attempt + 1, seal=""))

    def made(self, call: Authorised) -> bool:
        """Whether this stamp made the token and nothing in it was changed since."""
        return hmac.compare_digest(call.seal, self._seal(msgspec.structs.replace(call, seal="")))

    def _sealed(self, bare: Authorised) -> Authorised:
        return msgspec.structs.replace(bare, seal=self._seal(bare))

    def _seal(self, bare: Authorised) -> str:
        return hmac.new(self._key, msgspec.json.encode(bare, order="deterministic"), "sha256").hexdigest()
