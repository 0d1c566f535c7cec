<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 429: too many requests, and the retries are used up. */
final class RateLimited extends TefoError
{
}
