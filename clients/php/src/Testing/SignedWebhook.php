<?php

declare(strict_types=1);

namespace Tefo\Testing;

use Tefo\Json;
use Tefo\Tefo;

/** A delivery that is signed as the service signs it, for tests of your receiver. */
final class SignedWebhook
{
    /** @param array<string, string> $headers */
    private function __construct(public readonly string $body, public readonly array $headers)
    {
    }

    /**
     * The delivery of an event of this type and with this data. `$more` are other fields of the event, in place of made-up
     * ones; `$at` is the signature's time.
     *
     * @param array<string, mixed> $data
     * @param array<string, mixed> $more
     */
    public static function of(
        string $type,
        array $data,
        #[\SensitiveParameter]
        string $secret,
        array $more = [],
        ?int $at = null,
    ): self {
        $event = $more + [
            'id' => 'evt_' . bin2hex(random_bytes(16)),
            'type' => $type,
            'created' => gmdate('Y-m-d\TH:i:s.000\Z'),
            'subject' => $data['id'] ?? $data['reference'] ?? 'test_' . bin2hex(random_bytes(8)),
            'sequence' => 1,
            'apiVersion' => Tefo::API_VERSION,
            'sandbox' => true,
            'organisation' => ['id' => 'org_test', 'slug' => 'test'],
            'data' => $data,
        ];
        $body = Json::body($event);
        $time = $at ?? time();
        $own = hash_hmac('sha256', "{$time}.{$body}", $secret);
        $key = (string) base64_decode(str_replace('whsec_', '', $secret), true);
        $standard = base64_encode(hash_hmac('sha256', "{$event['id']}.{$time}.{$body}", $key, true));
        return new self($body, [
            'Content-Type' => 'application/json',
            'Service-Event-Id' => $event['id'],
            'Service-Event-Type' => $type,
            'Service-Signature' => "t={$time},v1={$own}",
            'webhook-id' => $event['id'],
            'webhook-timestamp' => (string) $time,
            'webhook-signature' => "v1,{$standard}",
        ]);
    }
}
