<?php

declare(strict_types=1);

namespace Tefo\Http;

/** An answer. */
final class Response
{
    /** @param array<string, string> $headers with names in small letters */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly string $body)
    {
    }
}
