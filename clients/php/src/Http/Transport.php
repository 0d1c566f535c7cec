<?php

declare(strict_types=1);

namespace Tefo\Http;

use Tefo\Errors\ConnectionFailed;
use Tefo\Errors\ServiceError;
use Tefo\Errors\TefoError;
use Tefo\Json;
use Tefo\Upload;

/**
 * Sends requests, again where that is safe.
 *
 * @internal
 */
final class Transport
{
    private const FIRST_WAIT = 0.5;
    private const OWN_WAIT_MAX = 8.0;

    private readonly string $root;

    /** @param \Closure(float): mixed $wait */
    public function __construct(
        #[\SensitiveParameter]
        private readonly string $apiKey,
        string $baseUrl,
        private readonly string $userAgent,
        private readonly Sender $sender,
        private readonly int $retries,
        private readonly float $retryWaitMax,
        private readonly \Closure $wait,
    ) {
        if ($apiKey === '' || preg_match('#^https?://[^/]#', $baseUrl) !== 1) {
            throw new \InvalidArgumentException("Write new Tefo(apiKey: 'tefo_…', baseUrl: 'https://pay.example.co.za').");
        }
        $this->root = rtrim($baseUrl, '/') . '/api/v1';
    }

    /** Without the key, in what a debugger or an error page shows. @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['root' => $this->root, 'userAgent' => $this->userAgent];
    }

    /** A path with its parameters encoded. An empty one would lead elsewhere. */
    public function path(string $template, string ...$values): string
    {
        return preg_replace_callback('/\{\w+\}/', static function () use ($template, &$values): string {
            $value = array_shift($values) ?? '';
            if ($value === '' || $value === '.' || $value === '..') {
                throw new \InvalidArgumentException("An id is missing in {$template}.");
            }
            return rawurlencode($value);
        }, $template) ?? $template;
    }

    /**
     * The answer's JSON; null when it has none.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $form
     * @throws TefoError
     */
    public function json(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        ?array $form = null,
        bool $keyed = false,
        ?string $idempotencyKey = null,
    ): mixed {
        $content = $this->file($method, $path, $body, $query, $form, $keyed, $idempotencyKey);
        try {
            return $content === '' ? null : Json::decode($content);
        } catch (\JsonException $wrong) {
            throw new ServiceError("What {$this->root} answered is not JSON: is this the address of the service?", previous: $wrong);
        }
    }

    /**
     * The answer's bytes.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $form
     * @throws TefoError
     */
    public function file(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        ?array $form = null,
        bool $keyed = false,
        ?string $idempotencyKey = null,
    ): string {
        $request = $this->request($method, $path . self::queryText($query), $body, $form, $idempotencyKey);
        // Without an answer nobody knows what was done, so the service has to recognise the repetition.
        $isRepeatable = $method === 'POST' ? $keyed : $method !== 'DELETE';
        for ($attempt = 1; ; $attempt++) {
            try {
                $answer = $this->sender->send($request);
                if ($answer->status >= 200 && $answer->status < 300) {
                    return $answer->body;
                }
                throw TefoError::of($answer);
            } catch (TefoError $error) {
                $seconds = $this->waitAfter($error, $attempt, $isRepeatable);
                if ($seconds === null) {
                    throw $error;
                }
                ($this->wait)($seconds);
            }
        }
    }

    /** Seconds until the request is sent again; null when it is not. */
    private function waitAfter(TefoError $error, int $attempt, bool $isRepeatable): ?float
    {
        $isNothingDone = in_array($error->status, [429, 503], true) || ($error->status === 409 && $error->retryAfter !== null);
        $isBroken = $error instanceof ConnectionFailed && $isRepeatable;
        if ($attempt > $this->retries || !($isNothingDone || $isBroken)) {
            return null;
        }
        $own = min(self::OWN_WAIT_MAX, self::FIRST_WAIT * 2 ** ($attempt - 1)) * (1 - random_int(0, 1000) / 2000);
        $seconds = $error->retryAfter ?? $own;
        return $seconds <= $this->retryWaitMax ? $seconds : null;
    }

    /**
     * @param array<string, mixed>|null $body
     * @param array<string, mixed>|null $form
     */
    private function request(string $method, string $path, ?array $body, ?array $form, ?string $idempotencyKey): Request
    {
        $headers = ['Authorization' => "Bearer {$this->apiKey}", 'User-Agent' => $this->userAgent];
        $content = null;
        if ($form !== null) {
            $boundary = bin2hex(random_bytes(16));
            $headers['Content-Type'] = "multipart/form-data; boundary={$boundary}";
            $content = self::formText($form, $boundary);
        } elseif ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            $content = Json::body($body);
        }
        if ($method === 'POST') {
            $headers['Idempotency-Key'] = $idempotencyKey ?? bin2hex(random_bytes(16));
        }
        return new Request($method, $this->root . $path, $headers, $content);
    }

    /** @param array<string, mixed> $query */
    private static function queryText(array $query): string
    {
        $texts = array_map(self::queryValue(...), array_filter($query, static fn (mixed $value): bool => $value !== null));
        return $texts === [] ? '' : '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    private static function queryValue(mixed $value): mixed
    {
        return match (true) {
            is_array($value) && $value !== [] && array_is_list($value) => implode(',', array_map(self::queryValue(...), $value)),
            is_array($value) => array_map(self::queryValue(...), $value),
            is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \DateTimeInterface => $value->format('Y-m-d\TH:i:sP'),
            default => (string) $value,
        };
    }

    /**
     * Files are sent last, since what is before them says how to read them.
     *
     * @param array<string, mixed> $fields
     */
    private static function formText(array $fields, string $boundary): string
    {
        $isFile = static fn (mixed $value): bool => $value instanceof Upload;
        $given = array_filter($fields, static fn (mixed $value): bool => $value !== null);
        $text = '';
        foreach ([...array_filter($given, static fn (mixed $value): bool => !$isFile($value)), ...array_filter($given, $isFile)] as $name => $value) {
            $text .= "--{$boundary}\r\nContent-Disposition: form-data; name=\"{$name}\"";
            if ($value instanceof Upload) {
                $file = str_replace(['%20', '%28', '%29'], [' ', '(', ')'], rawurlencode($value->name));
                $text .= "; filename=\"{$file}\"\r\nContent-Type: application/octet-stream";
            }
            $text .= "\r\n\r\n" . ($value instanceof Upload ? $value->bytes : self::queryValue($value)) . "\r\n";
        }
        return "{$text}--{$boundary}--\r\n";
    }
}
