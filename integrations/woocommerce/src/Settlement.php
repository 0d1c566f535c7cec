<?php

declare(strict_types=1);

namespace TefoWooCommerce;

use Tefo\Amount;

/**
 * What a payment means for its order. It is always the payment as Tefo shows it now, whoever gave the reason to look, so
 * that it does not matter in which order webhooks, returns and checks come, nor how often.
 */
final class Settlement
{
    /** Stored with the order: the transaction that pays it. */
    public const REFERENCE = '_tefo_reference';

    /** Stored with the order: what was told already, each once. */
    public const TOLD = '_tefo_told';

    /** Stored with the order: numbers of the refunds that the shop knows. */
    public const REFUNDS = '_tefo_refunds';

    /** Stored with a renewal: the charge of a saved card that was asked for. */
    public const CHARGE = '_tefo_charge';

    public function __construct(private readonly Names $names)
    {
    }

    /**
     * Brings an order, which the caller has locked, up to the state of a payment.
     *
     * @param array<string, mixed> $payment a transaction of Tefo
     * @return bool whether the payment is of this order
     */
    public function apply(Order $order, array $payment): bool
    {
        if (!$this->isOf($order, $payment)) {
            return false;
        }
        match ($payment['status']) {
            'complete', 'partially_refunded', 'refunded' => $this->paid($order, $payment),
            'failed', 'cancelled' => $this->failed($order, $payment),
            default => null,
        };
        $order->save();
        return true;
    }

    /** @param array<string, mixed> $payment */
    private function isOf(Order $order, array $payment): bool
    {
        $isOfLink = in_array($payment['paymentLinkId'], (array) ($order->get(Checkout::LINKS) ?? []), true);
        $isOfCharge = $payment['type'] === 'card_debit'
            && $order->get(self::CHARGE) !== null
            && $payment['externalReference'] === $this->names->ofOrder($order, Renewals::PART);
        return ($isOfLink || $isOfCharge) && $this->names->belongs($payment['metadata'], $order);
    }

    /** @param array<string, mixed> $payment */
    private function paid(Order $order, array $payment): void
    {
        $reference = $payment['reference'];
        if ($order->get(self::REFERENCE) !== $reference) {
            if ($order->get(self::REFERENCE) !== null || $order->isPaid()) {
                $this->once($order, "unasked {$reference}", fn () => $order->hold(
                    "The customer paid {$payment['currency']} {$payment['amount']} again ({$reference}). Refund that payment in Tefo.",
                ));
                return;
            }
            if ($payment['currency'] !== $order->currency() || !$payment['amount']->equals($order->total())) {
                $this->once($order, "unasked {$reference}", fn () => $order->hold(
                    "{$payment['currency']} {$payment['amount']} was paid ({$reference}), and the order is of {$order->currency()} {$order->total()}. "
                    . 'Deliver, or refund it in Tefo.',
                ));
                return;
            }
            $order->set(self::REFERENCE, $reference);
            $order->save();
            $this->take($order, $payment);
        }
        $this->refunds($order, $payment);
        foreach ($payment['reversals'] ?? [] as $reversal) {
            $this->once($order, "reversal {$reference} {$reversal['reversedAt']}", fn () => $order->hold(
                "The payer's bank took back {$payment['currency']} {$reversal['amount']}: {$reversal['reason']}.",
            ));
        }
    }

    /** @param array<string, mixed> $payment */
    private function take(Order $order, array $payment): void
    {
        if (in_array('not_on_statement', $payment['flags'], true)) {
            $order->hold('Paid, but the gateway\'s statement does not show it: check at the gateway before you deliver.');
            return;
        }
        $order->complete($payment['reference']);
        if ($payment['sandbox'] ?? false) {
            $order->note('This was a test: no money was paid.');
        }
    }

    /** @param array<string, mixed> $payment */
    private function failed(Order $order, array $payment): void
    {
        $why = str_replace('_', ' ', (string) ($payment['declineReason'] ?? $payment['status']));
        $text = "An attempt to pay did not succeed ({$payment['reference']}): {$why}.";
        $isCharge = $payment['type'] === 'card_debit';
        // A payer may try again on the same page, so the order stays open for it.
        $this->once($order, "failed {$payment['reference']}", fn () => $isCharge && !$order->isPaid() ? $order->fail($text) : $order->note($text));
    }

    /**
     * Refunds that were made in Tefo's dashboard become refunds of the order.
     *
     * @param array<string, mixed> $payment
     */
    private function refunds(Order $order, array $payment): void
    {
        $known = (array) ($order->get(self::REFUNDS) ?? []);
        foreach ($payment['refunds'] as $refund) {
            if ($refund['status'] !== 'processed' || in_array($refund['refundNumber'], $known, true)) {
                continue;
            }
            $known[] = $refund['refundNumber'];
            $order->set(self::REFUNDS, $known);
            $order->save();
            $order->recordRefund($refund['amount'], "Refunded in Tefo ({$refund['refundNumber']})");
        }
        $made = array_column($payment['refunds'], 'refundNumber');
        foreach (array_diff($known, $made) as $missing) {
            $this->once($order, "refund failed {$missing}", fn () => $order->hold(
                "The refund {$missing} could not be made at the gateway. Delete it here, and refund in another way.",
            ));
        }
    }

    private function once(Order $order, string $what, callable $tell): void
    {
        $told = (array) ($order->get(self::TOLD) ?? []);
        if (in_array($what, $told, true)) {
            return;
        }
        $order->set(self::TOLD, [...$told, $what]);
        $order->save();
        $tell();
    }

    /** The amount that the order's payment still has. @param array<string, mixed> $payment */
    public static function left(array $payment): Amount
    {
        return $payment['amount']->minus($payment['refundedAmount']);
    }
}
