"""The Anthropic Messages API, and local servers that speak it. The SDK sends; the answer is read raw.

The SDK is imported when it is first needed, since that takes seconds: `warm` does it in a thread.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from agent_core.model.clock import Clock
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.providers.messages.assembly import Assembly
from agent_core.providers.messages.body import request_body
from agent_core.providers.messages.faults import status_error
from agent_core.providers.messages.sse import SseReader, StreamTooLarge

if TYPE_CHECKING:
    import httpx2
    from anthropic import APIStatusError, AsyncAnthropic, RequestOptions

log = logging.getLogger(__name__)

OFFICIAL_ADDRESS = "https://api.anthropic.com"

CONNECT_SECONDS = 5.0
STALL_SECONDS = 60.0
"""How long nothing at all may come; the service sends pings well within."""
DRAIN_SECONDS = 0.1
"""How long the end of a body is waited for once the message is whole, so that the connection can be used again."""

_OPTIONS: "RequestOptions" = {
    "headers": {"content-type": "application/json", "accept": "text/event-stream"},
    "follow_redirects": False,
}


class AnthropicProvider:
    """One address and its key. Address and key come together: nothing is read from the environment."""

    name = "anthropic"

    def __init__(
        self,
        *,
        api_key: str | None,
        clock: Clock,
        base_url: str = OFFICIAL_ADDRESS,
        stall_seconds: float = STALL_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        self._api_key = api_key
        self._address = base_url.rstrip("/").removesuffix("/v1")
        self._clock = clock
        self._stall_seconds = stall_seconds
        self._connect_seconds = connect_seconds
        self._client: AsyncAnthropic | None = None
        self._opening = asyncio.Lock()
        self._told: set[str] = set()
        """Unknown kinds of events that the log has already."""

    async def warm(self) -> None:
        """Import the SDK and open the client, in a thread: the first request then starts at once.

        Without the key that it needs nothing is ever sent, so there is nothing to get ready.
        """
        if self._lacks_key:
            return
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Send once, without retries, and read the answer as it comes. See `Provider.stream`."""
        if self._lacks_key:
            raise ProviderError(
                ProviderFault.NO_KEY,
                "There is no key for the model's service: set ANTHROPIC_API_KEY, or save one in the settings.",
            )
        await self.warm()
        began = self._clock.monotonic()
        first_token: list[int] = []

        def on_first(delta: Delta) -> None:
            if not first_token:
                first_token.append(round((self._clock.monotonic() - began) * 1000))
            on_delta(delta)

        try:
            response = await self._send(request)
            try:
                whole = await self._read(response, on_first)
            finally:
                await response.aclose()
        except ProviderError as error:
            raise self._without_key(error) from None
        return msgspec.structs.replace(whole, first_token_ms=first_token[0] if first_token else None)

    async def close(self) -> None:
        """Close the connections. Another request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    @property
    def _lacks_key(self) -> bool:
        return self._api_key is None and self._address == OFFICIAL_ADDRESS

    def _open(self) -> "AsyncAnthropic":
        import httpx2
        from anthropic import AsyncAnthropic, DefaultAioHttpClient, Omit

        timeout = httpx2.Timeout(self._stall_seconds, connect=self._connect_seconds)
        # An empty key keeps the SDK from looking for one in the environment; it is then not sent at all.
        headers: dict[str, Any] = {} if self._api_key else {"Authorization": Omit()}
        return AsyncAnthropic(
            api_key=self._api_key or "",
            base_url=self._address,
            timeout=timeout,
            max_retries=0,
            default_headers=headers,
            open_telemetry=False,
            http_client=DefaultAioHttpClient(timeout=timeout),
        )

    async def _send(self, request: ModelRequest) -> "httpx2.Response":
        """Send the request and wait for the head of the answer."""
        import anthropic
        import httpx2

        assert self._client is not None
        try:
            # `stream` given as a plain bool picks the overload that gives back `cast_to`, here the raw response.
            streamed: bool = True
            return await self._client.post(
                "/v1/messages",
                cast_to=httpx2.Response,
                content=request_body(request),
                options=_OPTIONS,
                stream=streamed,
            )
        except anthropic.APIStatusError as refused:
            raise self._refused(refused) from None
        except anthropic.APIConnectionError as lost:
            raise self._unreachable(lost.__cause__ or lost) from None
        except (anthropic.APIError, httpx2.HTTPError) as lost:
            raise self._unreachable(lost) from None

    async def _read(self, response: "httpx2.Response", on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Read events until the message is whole."""
        import httpx2

        assembly = Assembly(on_delta, request_id=response.headers.get("request-id"))
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            raise assembly.garbage(f"an answer that is no stream of events ({kind[:80] or 'no content type'})")
        reader = SseReader()
        chunks = _body(response)
        try:
            async for chunk in chunks:
                for data in reader.feed(chunk):
                    assembly.feed(data)
                if assembly.stopped:
                    break
        except httpx2.TimeoutException:
            raise assembly.stalled(self._stall_seconds) from None
        except httpx2.DecodingError:
            raise assembly.garbage("a body that cannot be decompressed") from None
        except httpx2.HTTPError:
            raise assembly.cut() from None
        except StreamTooLarge as endless:
            raise assembly.garbage(str(endless)) from None
        whole = assembly.finish()
        for unknown in assembly.unknown_events - self._told:
            self._told.add(unknown)
            log.info("skipped events of a kind that is not known here: %.80r", unknown)
        await _drain(chunks)
        return whole

    def _refused(self, refused: "APIStatusError") -> ProviderError:
        body = refused.body if refused.body is not None else refused.response.text
        return status_error(refused.status_code, refused.response.headers, body, self._clock.now())

    def _unreachable(self, cause: BaseException) -> ProviderError:
        """No answer came at all: refused, timed out, or cut before its first line."""
        import httpx2

        host = urlsplit(self._address).netloc.rpartition("@")[2]
        if isinstance(cause, httpx2.ReadTimeout):
            message = f"The model's service at {host} did not answer for {self._stall_seconds:g} seconds."
            return ProviderError(ProviderFault.STALLED, message)
        message = f"The model's service at {host} cannot be reached."
        return ProviderError(ProviderFault.CONNECTION, message, detail=f"{type(cause).__name__}: {cause}")

    def _without_key(self, error: ProviderError) -> ProviderError:
        if self._api_key and self._api_key in str(error):
            error.args = (str(error).replace(self._api_key, "[key]"),)
        if self._api_key:
            error.detail = error.detail.replace(self._api_key, "[key]")
        return error


def _body(response: "httpx2.Response") -> AsyncIterator[bytes]:
    """The body as it comes. Without a compression to undo, the layers of generators that would undo it are passed by:
    a stream comes in a hundred pieces, and each passes through all of them."""
    if "content-encoding" in response.headers:
        return response.aiter_bytes()
    stream = response.stream
    assert isinstance(stream, AsyncIterable)
    return aiter(stream)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read to the end of the body, which is due; a connection whose body was not read to its end is closed."""
    import httpx2

    with contextlib.suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in chunks:
                pass
