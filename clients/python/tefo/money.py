"""Amounts are decimals in major units, as the API has them; never binary floats."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_DECIMAL = re.compile(r"-?\d{1,12}(\.\d{1,6})?")


def rand(value: str | int | Decimal) -> Decimal:
    """An amount in major units of any currency: rand("12.50")."""
    text = str(value)
    if isinstance(value, float) or not _DECIMAL.fullmatch(text):
        raise ValueError(f"{value!r} is not an amount such as \"12.50\"")
    return Decimal(text)


def cents(value: int) -> Decimal:
    """An amount of so many whole cents: cents(1250) is 12.50."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number of cents")
    return Decimal(value).scaleb(-2)


def to_cents(amount: Decimal | int) -> int:
    """The whole cents of an amount."""
    whole = Decimal(amount).scaleb(2)
    if whole != whole.to_integral_value():
        raise ValueError(f"{amount} is not a whole number of cents")
    return int(whole)


def to_json(value: Any) -> str:
    """JSON in which decimals are numbers with the digits that they have. A float is refused: it loses cents."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float: write rand(\"{value}\"), or Decimal for a quantity")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(key))}:{to_json(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(to_json(one) for one in value) + "]"
    return json.dumps(value)


def from_json(text: str) -> Any:
    """Numbers with decimals become Decimal."""
    return json.loads(text, parse_float=Decimal)
