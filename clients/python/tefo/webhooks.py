"""Verifying deliveries."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import WebhookRefused
from .money import from_json


def verify(
    payload: bytes, headers: Mapping[str, str], secret: str | Sequence[str], *, tolerance: float = 300
) -> dict[str, Any]:
    """The event of a delivery that Tefo has signed. `payload` is the body as it was received; amounts become Decimal.

    One of the signatures, of which there are two for a day after a rotation, has to match one of the secrets. Compared
    in constant time. Raises WebhookRefused.
    """
    header = next((value for name, value in headers.items() if name.lower() == "service-signature"), "")
    first, *parts = header.split(",")
    found = re.fullmatch(r"t=([0-9]{1,12})", first)
    if found is None:
        raise WebhookRefused("The header Service-Signature is missing or malformed.")
    if abs(time.time() - int(found[1])) > tolerance:
        raise WebhookRefused(f"The signature's time is more than {tolerance} seconds away.")
    given = [part[3:].encode() for part in parts if part.startswith("v1=")]
    signed = found[1].encode() + b"." + payload
    for one in [secret] if isinstance(secret, str) else secret:
        if not one:
            raise ValueError("the webhook secret is empty")
        expected = hmac.new(one.encode(), signed, hashlib.sha256).hexdigest().encode()
        if any([hmac.compare_digest(expected, mac) for mac in given]):
            return from_json(payload.decode())
    raise WebhookRefused("The signature does not match: another secret, or a body that was parsed and written anew.")
