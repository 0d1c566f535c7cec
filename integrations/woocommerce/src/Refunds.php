<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Amount;
use Tefo\Errors\TefoError;
use Tefo\Tefo;

/** Refunds from the order's page. */
final class Refunds
{
    /** Stored with the order: a refund whose outcome is not known, with the numbers of the payment's refunds before it. */
    private const ASKED = '_tefo_refund_asked';

    public function __construct(private readonly Tefo $tefo, private readonly Names $names)
    {
    }

    /**
     * Refunds a part of what was paid; the order is locked by the caller. After a broken connection the same refund can be
     * asked for again: it is made once.
     *
     * @throws Refused
     */
    public function refund(Order $order, Amount $amount, string $reason): void
    {
        $reference = $order->get(Settlement::REFERENCE);
        if (!is_string($reference)) {
            throw new Refused('Tefo has no payment of this order that could be refunded.');
        }
        try {
            $payment = $this->tefo->transactions->get($reference);
            $before = array_column($payment['refunds'], 'refundNumber');
            $asked = $order->get(self::ASKED);
            if (is_array($asked) && $asked['amount'] === (string) $amount && array_diff($before, $asked['before'], $this->known($order)) !== []) {
                $this->keep($order, $payment, $asked['before'], $amount);
                return;
            }
            if ($amount->toCents() <= 0 || $amount->compare(Settlement::left($payment)) > 0) {
                throw new Refused('At most ' . Settlement::left($payment) . " {$payment['currency']} of this payment can be refunded.");
            }
            $order->set(self::ASKED, ['amount' => (string) $amount, 'before' => $before]);
            $order->save();
            $key = $this->names->ofOrder($order, 'refund') . '-' . count($before) . "-{$amount->toCents()}";
            $after = $this->tefo->transactions->refund($reference, ['amount' => $amount] + self::reason($reason), idempotencyKey: $key);
            $this->keep($order, $after, $before, $amount);
        } catch (TefoError $error) {
            $isClear = $error->status !== null && $error->status < 500;
            if ($isClear) {
                $order->set(self::ASKED, null);
                $order->save();
            }
            $more = $isClear ? '' : ' Try the same amount again: it will not be refunded twice.';
            throw new Refused("Not refunded: {$error->getMessage()}{$more}", previous: $error);
        }
    }

    /** @return array<string, string> */
    private static function reason(string $reason): array
    {
        return $reason === '' ? [] : ['reason' => mb_substr($reason, 0, 255)];
    }

    /** @return list<string> */
    private function known(Order $order): array
    {
        return (array) ($order->get(Settlement::REFUNDS) ?? []);
    }

    /**
     * The shop has a refund of its own for this one.
     *
     * @param array<string, mixed> $payment
     * @param list<string> $before
     */
    private function keep(Order $order, array $payment, array $before, Amount $amount): void
    {
        foreach ($payment['refunds'] as $refund) {
            $number = $refund['refundNumber'];
            if (in_array($number, $before, true) || in_array($number, $this->known($order), true) || !$refund['amount']->equals($amount)) {
                continue;
            }
            $order->set(Settlement::REFUNDS, [...$this->known($order), $number]);
            $order->set(self::ASKED, null);
            $order->save();
            $order->note("Refunded {$payment['currency']} {$amount} with Tefo ({$number})" . ($refund['status'] === 'pending' ? ', which the gateway has still to confirm.' : '.'));
            return;
        }
    }
}
