"""Sends requests, again where that is safe."""

from __future__ import annotations

import http.client
import random
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .errors import ConnectionFailed, TefoError, refusal_of
from .money import from_json, to_json

_FIRST_WAIT = 0.5
_OWN_WAIT_MAX = 8.0


def path(template: str, *values: str) -> str:
    """A path with its parameters encoded. An empty one would lead elsewhere."""
    parts = template.split("{")
    text = parts[0]
    for value, part in zip(values, parts[1:], strict=True):
        if not isinstance(value, str) or value == "":
            raise ValueError(f"an id is missing in {template}")
        text += quote(value, safe="") + part.split("}", 1)[1]
    return text


def _query_text(query: Mapping[str, Any] | None) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", str(one)) for key, one in value.items()]
        elif isinstance(value, (list, tuple)):
            pairs.append((name, ",".join(str(one) for one in value)))
        elif value is not None:
            pairs.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return "?" + urlencode(pairs) if pairs else ""


def _form(fields: Mapping[str, Any]) -> tuple[str, bytes]:
    """A file is (name, bytes); it is sent last, since what is before it says how to read it."""
    boundary = uuid.uuid4().hex
    body = b""
    for name, value in sorted(fields.items(), key=lambda field: isinstance(field[1], tuple)):
        if value is None:
            continue
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, tuple):
            file_name = quote(value[0], safe=" ()")
            head += f'; filename="{file_name}"\r\nContent-Type: application/octet-stream'
        content = value[1] if isinstance(value, tuple) else str(value).encode()
        body += head.encode() + b"\r\n\r\n" + content + b"\r\n"
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()


class Transport:
    """Answers are parsed JSON, with amounts as Decimal."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        user_agent: str,
        timeout: float = 30.0,
        retries: int = 4,
        retry_wait_max: float = 60.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not api_key or not base_url:
            raise ValueError('write Tefo(api_key="tefo_…", base_url="https://pay.example.co.za")')
        self._root = base_url.rstrip("/") + "/api/v1"
        self._headers = {"Authorization": f"Bearer {api_key}", "User-Agent": user_agent}
        self._timeout = timeout
        self._retries = retries
        self._retry_wait_max = retry_wait_max
        self._wait = wait

    def json(self, method: str, place: str, **call: Any) -> Any:
        content = self._send(method, place, **call)
        return from_json(content.decode()) if content else None

    def file(self, method: str, place: str, **call: Any) -> bytes:
        return self._send(method, place, **call)

    def _send(
        self,
        method: str,
        place: str,
        *,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        keyed: bool = False,
        idempotency_key: str | None = None,
    ) -> bytes:
        headers = dict(self._headers)
        data = None
        if form is not None:
            headers["Content-Type"], data = _form(form)
        elif body is not None:
            headers["Content-Type"], data = "application/json", to_json(body).encode()
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        request = urllib.request.Request(self._root + place + _query_text(query), data, headers, method=method)
        # Without an answer nobody knows what was done, so the service has to recognise the repetition.
        repeatable = keyed if method == "POST" else method != "DELETE"
        attempt = 1
        while True:
            try:
                return self._attempt(request)
            except TefoError as error:
                wait = self._wait_after(error, attempt, repeatable)
                if wait is None:
                    raise
                self._wait(wait)
                attempt += 1

    def _wait_after(self, error: TefoError, attempt: int, repeatable: bool) -> float | None:
        nothing_done = error.status in (429, 503) or (error.status == 409 and error.retry_after is not None)
        if attempt > self._retries or not (nothing_done or (error.status is None and repeatable)):
            return None
        own = min(_OWN_WAIT_MAX, _FIRST_WAIT * 2 ** (attempt - 1)) * (1 - random.random() / 2)
        wait = own if error.retry_after is None else error.retry_after
        return wait if wait <= self._retry_wait_max else None

    def _attempt(self, request: urllib.request.Request) -> bytes:
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return response.read()
        except urllib.error.HTTPError as refused:
            with refused:
                text = refused.read().decode(errors="replace")
            raise refusal_of(refused.code, refused.headers, text) from None
        except (OSError, http.client.HTTPException) as broken:
            raise ConnectionFailed(f"No answer from {self._root}: {broken}") from broken


class Pages:
    """A list: `for invoice in tefo.invoices.list():` reads it to its end; `.page()` is the first page."""

    def __init__(self, transport: Transport, place: str, query: Mapping[str, Any] | None) -> None:
        self._transport = transport
        self._place = place
        self._query = dict(query or {})

    def page(self) -> dict[str, Any]:
        return self._transport.json("GET", self._place, query=self._query)

    def pages(self) -> Iterator[dict[str, Any]]:
        cursor = "endingBefore" if self._query.get("endingBefore") else "startingAfter"
        page = self.page()
        yield page
        while page["hasMore"] and page["nextCursor"] is not None:
            page = self._transport.json("GET", self._place, query={**self._query, cursor: page["nextCursor"]})
            yield page

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for page in self.pages():
            yield from page["data"]
