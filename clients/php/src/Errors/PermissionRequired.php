<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** 403: the key lacks a scope or permission, or the plan or account does not allow it. */
final class PermissionRequired extends TefoError
{
}
