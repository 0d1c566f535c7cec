<?php

declare(strict_types=1);

namespace Tefo;

use Tefo\Generated\Resources;
use Tefo\Http\CurlSender;
use Tefo\Http\Sender;
use Tefo\Http\Transport;

/** The API of one organisation: `new Tefo(apiKey: 'tefo_…', baseUrl: 'https://pay.example.co.za')`. */
final class Tefo extends Resources
{
    /**
     * @param Sender|null $sender what sends requests: by default cURL; `Psr18Sender` takes any client of PSR-18
     * @param float $timeout seconds for each attempt, of cURL; a client of PSR-18 has its own setting
     * @param int $retries how often a request is sent again after 429, 503 and, where that is safe, a broken connection
     * @param float $retryWaitMax seconds; a longer `Retry-After` is not waited for
     * @param (\Closure(float): void)|null $wait waits for so many seconds; for tests
     */
    public function __construct(
        #[\SensitiveParameter]
        string $apiKey,
        string $baseUrl,
        ?Sender $sender = null,
        float $timeout = 30.0,
        int $retries = 4,
        float $retryWaitMax = 60.0,
        ?\Closure $wait = null,
    ) {
        parent::__construct(new Transport(
            apiKey: $apiKey,
            baseUrl: $baseUrl,
            userAgent: sprintf('tefo-php/%s (description %s)', self::CLIENT_VERSION, self::DESCRIPTION_VERSION),
            sender: $sender ?? new CurlSender($timeout),
            retries: $retries,
            retryWaitMax: $retryWaitMax,
            wait: $wait ?? static fn (float $seconds) => usleep((int) ($seconds * 1_000_000)),
        ));
    }

    /**
     * Any request below /api/v1, for what a newer service has: `$tefo->request('GET', '/me')`.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $form fields of an upload
     */
    public function request(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        ?array $form = null,
        ?string $idempotencyKey = null,
    ): mixed {
        return $this->transport->json($method, $path, $body, $query, $form, idempotencyKey: $idempotencyKey);
    }
}
