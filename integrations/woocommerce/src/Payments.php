<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Errors\NotFound;
use Tefo\Errors\WebhookRefused;
use Tefo\Tefo;
use Tefo\Webhooks;

/** Learns how payments of orders ended: from signed webhooks, when the payer returns, and by checks at growing intervals. */
final class Payments
{
    /** Stored with the order: ids of its last events. */
    private const EVENTS = '_tefo_events';
    private const EVENTS_KEPT = 50;

    /** Seconds until an order is checked for the first time, the second time, and so on: over seven days. */
    private const CHECKS = [300, 600, 1800, 3600, 10800, 21600, 43200, 86400, 86400, 86400, 86400, 86400, 86400];

    public function __construct(
        private readonly Tefo $tefo,
        private readonly Orders $orders,
        private readonly Names $names,
        private readonly Settlement $settlement,
    ) {
    }

    /**
     * A delivery.
     *
     * @param array<string, mixed> $headers
     * @param list<string> $secrets
     * @return int the status to answer: after 503 Tefo sends it again
     */
    public function receive(string $payload, array $headers, array $secrets): int
    {
        if ($secrets === []) {
            return 503;
        }
        try {
            $event = Webhooks::verify($payload, $headers, $secrets);
        } catch (WebhookRefused) {
            return 400;
        }
        $data = $event['data'];
        $id = isset($data['reference']) && is_array($data['metadata'] ?? null) ? $this->names->orderOf($data['metadata']) : null;
        if ($id === null) {
            return 204;
        }
        try {
            $this->orders->locked($id, fn (Order $order) => $this->applyEvent($order, $event['id'], (string) $data['reference']));
        } catch (\Tefo\Errors\TefoError | Busy) {
            return 503;
        }
        return 204;
    }

    private function applyEvent(Order $order, string $eventId, string $reference): void
    {
        $seen = (array) ($order->get(self::EVENTS) ?? []);
        if (in_array($eventId, $seen, true)) {
            return;
        }
        try {
            $this->settlement->apply($order, $this->tefo->transactions->get($reference));
        } catch (NotFound) {
            // Of another organisation: the key was changed from test to live since.
            return;
        }
        $order->set(self::EVENTS, array_slice([...$seen, $eventId], -self::EVENTS_KEPT));
        $order->save();
    }

    /**
     * Asks Tefo how an order stands. What a browser says of it is not read.
     *
     * @return bool whether it can still change without anybody's doing
     * @throws \Tefo\Errors\TefoError
     * @throws Busy
     */
    public function check(int $id): bool
    {
        return $this->orders->locked($id, function (Order $order): bool {
            foreach ((array) ($order->get(Checkout::LINKS) ?? []) as $linkId) {
                try {
                    $link = $this->tefo->paymentLinks->get($linkId);
                } catch (NotFound) {
                    continue;
                }
                // Oldest first: the first payment pays the order, a later one is too much.
                foreach (array_reverse($link['payments']) as $payment) {
                    $this->settlement->apply($order, $this->tefo->transactions->get($payment['reference']));
                }
            }
            $charge = $order->get(Settlement::CHARGE);
            if (is_string($charge)) {
                $this->settlement->apply($order, $this->tefo->transactions->get($charge));
            }
            return !$order->isPaid() && ($order->get(Checkout::LINKS) !== null || $charge !== null);
        }) ?? false;
    }

    /** Has an order checked later, unless it was checked often enough. */
    public function plan(int $id, int $count = 0): void
    {
        if (isset(self::CHECKS[$count])) {
            $this->orders->checkLater($id, self::CHECKS[$count], $count);
        }
    }

    /** A planned check. */
    public function checkAndPlan(int $id, int $count): void
    {
        try {
            $isOpen = $this->check($id);
        } catch (\Tefo\Errors\TefoError | Busy) {
            $isOpen = true;
        }
        if ($isOpen) {
            $this->plan($id, $count + 1);
        }
    }
}
