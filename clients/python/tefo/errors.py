"""Errors of requests, by class."""

from __future__ import annotations

import json
from typing import Any


class TefoError(Exception):
    """Every error of a request. `status` is None where there was no answer."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None, **facts: Any) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.error: str = facts.get("error") or ("connection" if status is None else f"http_{status}")
        self.code: str | None = facts.get("code")
        self.doc_url: str | None = facts.get("docUrl")
        self.request_id: str | None = facts.get("requestId")
        self.issues: list[dict[str, Any]] = facts.get("issues") or []


class InvalidRequest(TefoError):
    """400, 405, 413, 415: the request has to be corrected; `issues` says where."""


class Unauthorized(TefoError):
    """401: the key is missing, wrong, revoked or expired."""


class PermissionRequired(TefoError):
    """403: the key lacks a scope or permission, or the plan or account does not allow it."""


class NotFound(TefoError):
    """404: there is no such record in this organisation."""


class Conflict(TefoError):
    """409: the state of a record does not allow it, or the Idempotency-Key had another body."""


class RateLimited(TefoError):
    """429: too many requests, and the retries are used up."""


class ServiceError(TefoError):
    """5xx: an error of the service, or of a gateway behind it."""


class ConnectionFailed(TefoError):
    """No answer came, or none in time."""


class WebhookRefused(Exception):
    """A delivery that Tefo has not signed, or that is too old."""


_CLASSES = {401: Unauthorized, 403: PermissionRequired, 404: NotFound, 409: Conflict, 429: RateLimited}


def refusal_of(status: int, headers: Any, text: str) -> TefoError:
    """The error of an answer that refuses; a proxy in front of the service answers in a form of its own."""
    try:
        facts = json.loads(text)
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        facts = {}
    after = headers.get("Retry-After") or ""
    kind = _CLASSES.get(status) or (ServiceError if status >= 500 else InvalidRequest)
    message = facts.pop("message", None) or f"The service answered {status}."
    facts.setdefault("requestId", headers.get("X-Request-Id"))
    return kind(message, status=status, retry_after=float(after) if after.isdigit() else None, **facts)
