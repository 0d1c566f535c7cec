"""The client of the Tefo API: Tefo(api_key="tefo_…", base_url="https://pay.example.co.za")."""

from __future__ import annotations

from typing import Any

from .errors import (
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    NotFound,
    PermissionRequired,
    RateLimited,
    ServiceError,
    TefoError,
    Unauthorized,
    WebhookRefused,
)
from .generated import API_VERSION, CLIENT_VERSION, DESCRIPTION_VERSION, Resources
from .money import cents, rand, to_cents
from .transport import Transport
from .webhooks import verify

__all__ = [
    "API_VERSION",
    "CLIENT_VERSION",
    "Conflict",
    "ConnectionFailed",
    "DESCRIPTION_VERSION",
    "InvalidRequest",
    "NotFound",
    "PermissionRequired",
    "RateLimited",
    "ServiceError",
    "Tefo",
    "TefoError",
    "Unauthorized",
    "WebhookRefused",
    "cents",
    "rand",
    "to_cents",
    "verify",
]

__version__ = CLIENT_VERSION


class Tefo(Resources):
    """The API of one organisation. Options: timeout, retries, retry_wait_max, in seconds."""

    def __init__(self, api_key: str, base_url: str, **options: Any) -> None:
        agent = f"tefo-python/{CLIENT_VERSION} (description {DESCRIPTION_VERSION})"
        self._transport = Transport(api_key, base_url, user_agent=agent, **options)
        super().__init__(self._transport)

    def request(self, method: str, path: str, **call: Any) -> Any:
        """Any request below /api/v1, with body, query or form: for what a newer service has."""
        return self._transport.json(method, path, **call)
