<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** No answer came, or none in time. */
final class ConnectionFailed extends TefoError
{
}
