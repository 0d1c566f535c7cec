<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 400, 405, 413, 415: the request has to be corrected; `issues` says where. */
final class InvalidRequest extends TefoError
{
}
