<?php

declare(strict_types=1);

namespace Tefo\Http;

use Tefo\Errors\ConnectionFailed;

/** Sends one request and gives its answer, whatever its status. */
interface Sender
{
    /** @throws ConnectionFailed when there is no answer, or no whole one in time */
    public function send(Request $request): Response;
}
