<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 409: the state of a record does not allow it, or the Idempotency-Key had another body. */
final class Conflict extends TefoError
{
}
