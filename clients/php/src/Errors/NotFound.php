<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 404: there is no such record in this organisation. */
final class NotFound extends TefoError
{
}
