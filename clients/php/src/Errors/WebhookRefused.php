<?php

declare(strict_types=1);

namespace Tefo\Errors;

/** A delivery that Tefo has not signed, or that is too old. */
final class WebhookRefused extends \RuntimeException
{
}
