"""For tests of your own, in a sandbox organisation: its clock, its snapshots, what its gateway does next, signed webhooks."""

from __future__ import annotations

import base64
import calendar
import hashlib
import hmac
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from .errors import Conflict, ConnectionFailed
from .generated import API_VERSION
from .money import to_json

if TYPE_CHECKING:
    from . import Tefo

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


class Sandbox:
    """A sandbox organisation in the hands of a test. The key needs `test_clock:write`; a live organisation refuses with 403."""

    def __init__(self, tefo: Tefo) -> None:
        self._tefo = tefo

    def now(self) -> str:
        """Where the organisation's clock stands."""
        return self._tefo.test_clock.get()["now"]

    def forward(self, by: str) -> dict[str, Any]:
        """Moves the clock on by 90m, 12h, 30d, 2w, 1mo or 1y. Everything that is due by then has been done when it answers."""
        return self.to(later(self.now(), by))

    def to(self, moment: str) -> dict[str, Any]:
        """Moves the clock to a time, as `forward` does."""
        before = self.now()
        while True:
            try:
                return self._tefo.test_clock.move({"now": moment})
            except (Conflict, ConnectionFailed):
                # A move that takes longer than one request may has come some way; the same request goes on from there.
                now = self.now()
                if _read(now) <= _read(before):
                    raise
                before = now

    @contextmanager
    def rewinding(self) -> Iterator[None]:
        """`with sandbox.rewinding():` puts the organisation back as it was before, clock included, however the block ends."""
        snapshot = self._tefo.test_clock.create_snapshot({"name": "rewinding"})
        try:
            yield
        finally:
            self._tefo.test_clock.rewind_snapshot(snapshot["id"])
            self._tefo.test_clock.delete_snapshot(snapshot["id"])

    def next(
        self,
        kind: str,
        outcomes: Sequence[str | None],
        *,
        customer_id: str | None = None,
        subscription_id: str | None = None,
        delay_days: int | None = None,
    ) -> None:
        """Says how the next attempts of a kind (payment, card_charge, renewal, debit, refund) end, in their order.

        None leaves one to its course: `next("renewal", [None, None, "insufficient_funds"])` lets the third renewal fail.
        """
        of = {"customerId": customer_id, "subscriptionId": subscription_id}
        given = {name: value for name, value in of.items() if value is not None}
        delay = {} if delay_days is None else {"delayDays": delay_days}
        steps = [
            {"match": {"kind": kind, "nth": nth, **given}, "outcome": outcome, **delay}
            for nth, outcome in enumerate(outcomes, 1)
            if outcome is not None
        ]
        self._tefo.sandbox.create_outcomes({"steps": steps})


def _read(moment: str) -> datetime:
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).astimezone(timezone.utc)


def later(moment: str, by: str) -> str:
    """A time so much later. In a month that has no such day it is the last one."""
    found = re.fullmatch(r"([0-9]{1,5})(m|h|d|w|mo|y)", by)
    if found is None:
        raise ValueError(f"{by} is no duration: 90m, 12h, 30d, 2w, 1mo, 1y")
    count, unit = int(found[1]), found[2]
    at = _read(moment)
    if unit in _SECONDS:
        at += timedelta(seconds=count * _SECONDS[unit])
    else:
        months = at.month - 1 + count * (12 if unit == "y" else 1)
        year, month = at.year + months // 12, months % 12 + 1
        at = at.replace(year=year, month=month, day=min(at.day, calendar.monthrange(year, month)[1]))
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def signed_webhook(
    kind: str, data: Mapping[str, Any], secret: str, *, at: float | None = None, **more: Any
) -> tuple[bytes, dict[str, str]]:
    """Body and headers of the delivery of an event of this type and with this data, signed as the service signs it.

    `more` are other fields of the event, in place of made-up ones; `at` is the signature's time.
    """
    event = {
        "id": f"evt_{uuid.uuid4().hex}",
        "type": kind,
        "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "subject": data.get("id") or data.get("reference") or f"test_{uuid.uuid4().hex}",
        "sequence": 1,
        "apiVersion": API_VERSION,
        "sandbox": True,
        "organisation": {"id": "org_test", "slug": "test"},
        "data": dict(data),
        **more,
    }
    body = to_json(event).encode()
    seconds = int(time.time() if at is None else at)
    own = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.replace("whsec_", ""))
    standard = hmac.new(key, f"{event['id']}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return body, {
        "Content-Type": "application/json",
        "Service-Event-Id": event["id"],
        "Service-Event-Type": kind,
        "Service-Signature": f"t={seconds},v1={own}",
        "webhook-id": event["id"],
        "webhook-timestamp": str(seconds),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
    }
