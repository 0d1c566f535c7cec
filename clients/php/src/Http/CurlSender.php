<?php

declare(strict_types=1);

namespace Tefo\Http;

use Tefo\Errors\ConnectionFailed;

/** Sends by cURL, over one connection that stays open. Follows no redirects: the key goes nowhere else. */
final class CurlSender implements Sender
{
    private const CONNECT_SECONDS = 10.0;

    private ?\CurlHandle $handle = null;

    /** @param float $timeout seconds for a whole request */
    public function __construct(private readonly float $timeout = 30.0)
    {
        if (!function_exists('curl_init')) {
            throw new \LogicException('Install ext-curl, or pass a Psr18Sender with a client of PSR-18.');
        }
    }

    public function send(Request $request): Response
    {
        $this->handle ??= curl_init();
        curl_reset($this->handle);
        $headers = [];
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => self::lines($request),
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000),
            CURLOPT_CONNECTTIMEOUT_MS => (int) (min($this->timeout, self::CONNECT_SECONDS) * 1000),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_handle, string $line) use (&$headers): int {
                $pair = explode(':', $line, 2);
                if (isset($pair[1])) {
                    $headers[strtolower(trim($pair[0]))] = trim($pair[1]);
                }
                return strlen($line);
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $request->body);
        }
        $body = curl_exec($this->handle);
        if (!is_string($body)) {
            $message = curl_error($this->handle);
            // A connection that broke is not used again.
            $this->handle = null;
            throw new ConnectionFailed("No answer from {$request->url}: {$message}");
        }
        return new Response((int) curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    /** @return list<string> */
    private static function lines(Request $request): array
    {
        // Without Expect a body is sent at once. Some proxies refuse a request that does not say that it has no body.
        $lines = $request->body === null && $request->method !== 'GET' ? ['Expect:', 'Content-Length: 0'] : ['Expect:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "{$name}: {$value}";
        }
        return $lines;
    }
}
