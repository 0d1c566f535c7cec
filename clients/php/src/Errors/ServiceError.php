<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 5xx: an error of the service, or of a gateway behind it; also an answer that is not JSON. */
final class ServiceError extends TefoError
{
}
