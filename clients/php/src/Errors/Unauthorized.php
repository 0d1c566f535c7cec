<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 401: the key is missing, wrong, revoked or expired. */
final class Unauthorized extends TefoError
{
}
