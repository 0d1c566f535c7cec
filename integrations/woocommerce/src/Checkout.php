<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Amount;
use Tefo\Tefo;

/**
 * Gives each order one link to pay it. What is asked is stored with the order before it is asked, so that after a broken
 * connection, or the end of the process, the link that was made is found and no second one is made.
 */
final class Checkout
{
    public const CURRENCY = 'ZAR';

    /** Stored with the order: the link that is, or is being, made. */
    public const LINK = '_tefo_link';

    /** Stored with the order: ids of all its links, since an older one can still be paid. */
    public const LINKS = '_tefo_links';

    private const DAYS = 7;

    /** @param bool $isTest a sandbox organisation may have another time than the shop, so its links do not expire */
    public function __construct(private readonly Tefo $tefo, private readonly Names $names, private readonly bool $isTest)
    {
    }

    /** Why an order of this currency and amount cannot be paid with this plug-in; null when it can. */
    public static function refusal(string $currency, ?Amount $total = null): ?string
    {
        if ($currency !== self::CURRENCY) {
            return "Tefo takes payments in South African rand (ZAR), and this shop sells in {$currency}.";
        }
        return $total !== null && $total->toCents() <= 0 ? 'There is nothing to pay with Tefo.' : null;
    }

    /**
     * The address where the payer pays; the order is locked by the caller.
     *
     * @throws Refused
     * @throws \Tefo\Errors\TefoError
     */
    public function linkFor(Order $order, int $now): string
    {
        $refusal = self::refusal($order->currency(), $order->total());
        if ($refusal !== null) {
            throw new Refused($refusal);
        }
        $asked = $order->get(self::LINK);
        $wanted = "{$order->currency()} {$order->total()}";
        $isUsable = is_array($asked) && $asked['for'] === $wanted && $asked['expires'] > $now + 3600;
        if (!$isUsable) {
            $asked = $this->begin($order, $wanted, is_array($asked) ? $asked['number'] + 1 : 1, $now);
        } elseif (!isset($asked['url'])) {
            $link = $this->madeBefore($order, $asked);
            return $this->keep($order, $asked, $link ?? $this->create($order, $asked));
        } elseif ($this->tefo->paymentLinks->get($asked['id'])['active']) {
            return $asked['url'];
        } else {
            $asked = $this->begin($order, $wanted, $asked['number'] + 1, $now);
        }
        return $this->keep($order, $asked, $this->create($order, $asked));
    }

    /** @return array{for: string, number: int, expires: int} */
    private function begin(Order $order, string $wanted, int $number, int $now): array
    {
        $asked = ['for' => $wanted, 'number' => $number, 'expires' => $now + self::DAYS * 86400];
        $order->set(self::LINK, $asked);
        $order->save();
        return $asked;
    }

    /** @param array<string, mixed> $asked */
    private function madeBefore(Order $order, array $asked): mixed
    {
        $name = $this->names->ofOrder($order, (string) $asked['number']);
        return $this->tefo->paymentLinks->list(['externalReference' => $name, 'limit' => 1])->page()['data'][0] ?? null;
    }

    /** @param array<string, mixed> $asked */
    private function create(Order $order, array $asked): mixed
    {
        $name = $this->names->ofOrder($order, (string) $asked['number']);
        $body = [
            'title' => "Order {$order->number()}",
            'amount' => $order->total(),
            'currency' => $order->currency(),
            'externalReference' => $name,
            'returnUrl' => $order->returnUrl(),
            'singleUse' => true,
            'expiresAt' => $this->isTest ? null : gmdate('Y-m-d\TH:i:s\Z', $asked['expires']),
            'metadata' => $this->names->metadata($order),
        ];
        // Only somebody who has signed in is a customer: the page offers a customer's saved cards, and anybody can write
        // another's email address into the form of the checkout.
        if ($order->userId() > 0) {
            $body['customerId'] = $this->customer($order);
        }
        // Another body under the same key would be refused.
        return $this->tefo->paymentLinks->create($body, idempotencyKey: $name . '-' . substr(hash('sha256', serialize($body)), 0, 16));
    }

    /** The id of the customer that a user of the shop is; made when there is none. */
    public function customer(Order $order): string
    {
        $name = $this->names->ofUser($order->userId());
        return $this->tefo->customers->create(['externalReference' => $name] + array_filter($order->payer()))['id'];
    }

    /** @param array<string, mixed> $asked */
    private function keep(Order $order, array $asked, mixed $link): string
    {
        $order->set(self::LINK, ['id' => $link['id'], 'url' => $link['url']] + $asked);
        $order->set(self::LINKS, [...(array) ($order->get(self::LINKS) ?? []), $link['id']]);
        $order->save();
        return $link['url'];
    }
}
