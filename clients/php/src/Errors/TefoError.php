<?php

declare(strict_types=1);

namespace Tefo\Errors;

use Tefo\Http\Response;
use Tefo\Json;

/** Every error of a request, by class. */
abstract class TefoError extends \RuntimeException
{
    /**
     * @param int|null $status null where there was no answer
     * @param float|null $retryAfter seconds, from `Retry-After`
     * @param string $error its kind, as `validation_failed`; `code` says more exactly which
     * @param list<array<string, mixed>> $issues what is wrong, each with its `path` in the body
     * @param array<string, mixed> $details everything that the answer says
     */
    final public function __construct(
        string $message,
        public readonly ?int $status = null,
        public readonly ?float $retryAfter = null,
        public readonly string $error = 'connection',
        public readonly ?string $errorCode = null,
        public readonly ?string $docUrl = null,
        public readonly ?string $requestId = null,
        public readonly array $issues = [],
        public readonly array $details = [],
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $status ?? 0, $previous);
    }

    /**
     * The error of an answer that refuses. A proxy in front of the service answers in a form of its own.
     *
     * @internal
     */
    public static function of(Response $answer): self
    {
        try {
            $facts = Json::decode($answer->body);
        } catch (\JsonException | \InvalidArgumentException) {
            $facts = null;
        }
        $facts = is_array($facts) ? $facts : [];
        $text = static fn (string $name): ?string => isset($facts[$name]) && is_string($facts[$name]) ? $facts[$name] : null;
        $after = $answer->headers['retry-after'] ?? '';
        $class = self::classOf($answer->status);
        return new $class(
            $text('message') ?? "The service answered {$answer->status}.",
            status: $answer->status,
            retryAfter: ctype_digit($after) ? (float) $after : null,
            error: $text('error') ?? "http_{$answer->status}",
            errorCode: $text('code'),
            docUrl: $text('docUrl'),
            requestId: $text('requestId') ?? $answer->headers['x-request-id'] ?? null,
            issues: is_array($facts['issues'] ?? null) ? $facts['issues'] : [],
            details: $facts,
        );
    }

    /** @return class-string<self> */
    private static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => Unauthorized::class,
            $status === 403 => PermissionRequired::class,
            $status === 404 => NotFound::class,
            $status === 409 => Conflict::class,
            $status === 429 => RateLimited::class,
            $status >= 500 => ServiceError::class,
            default => InvalidRequest::class,
        };
    }
}
