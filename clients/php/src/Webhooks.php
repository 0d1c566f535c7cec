<?php

declare(strict_types=1);

namespace Tefo;

use Tefo\Errors\WebhookRefused;

/**
 * Verifying deliveries.
 *
 * @phpstan-import-type Event from \Tefo\Generated\Types
 */
final class Webhooks
{
    private const HEADER = 'service-signature';

    /**
     * The event of a delivery that Tefo has signed; amounts become `Amount`. One of the signatures, of which there are two
     * for a day after a rotation, has to match one of the secrets. Compared in constant time.
     *
     * @param string $payload the body as it was received: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `getallheaders()`, `$_SERVER`, or those of a request of PSR-7
     * @param string|list<string> $secret
     * @param int $tolerance seconds
     * @return Event
     * @throws WebhookRefused
     */
    public static function verify(
        string $payload,
        array $headers,
        #[\SensitiveParameter]
        string|array $secret,
        int $tolerance = 300,
    ): array {
        $parts = explode(',', self::header($headers));
        if (preg_match('/^t=(\d{1,12})$/D', array_shift($parts), $found) !== 1) {
            throw new WebhookRefused('The header Service-Signature is missing or malformed.');
        }
        if (abs(time() - (int) $found[1]) > $tolerance) {
            throw new WebhookRefused("The signature's time is more than {$tolerance} seconds away.");
        }
        $given = array_filter($parts, static fn (string $part): bool => str_starts_with($part, 'v1='));
        $isSigned = false;
        foreach ((array) $secret as $one) {
            if ($one === '') {
                throw new \InvalidArgumentException('The webhook secret is empty.');
            }
            $expected = 'v1=' . hash_hmac('sha256', "{$found[1]}.{$payload}", $one);
            foreach ($given as $mac) {
                $isSigned = hash_equals($expected, $mac) || $isSigned;
            }
        }
        if (!$isSigned) {
            throw new WebhookRefused('The signature does not match: another secret, or a body that was parsed and written anew.');
        }
        return Json::decode($payload);
    }

    /** @param array<string, mixed> $headers */
    private static function header(array $headers): string
    {
        foreach ($headers as $name => $value) {
            $plain = strtolower(strtr(preg_replace('/^HTTP_/', '', (string) $name) ?? '', '_', '-'));
            if ($plain === self::HEADER) {
                return is_array($value) ? (string) reset($value) : (string) $value;
            }
        }
        return '';
    }
}
