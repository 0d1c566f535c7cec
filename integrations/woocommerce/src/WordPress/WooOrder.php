<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use Tefo\Amount;
use TefoWooCommerce\Order;

/** An order of WooCommerce, by its own functions alone, wherever it stores orders. */
final class WooOrder implements Order
{
    public function __construct(private readonly \WC_Order $order)
    {
    }

    public function id(): int
    {
        return (int) $this->order->get_id();
    }

    public function number(): string
    {
        return (string) $this->order->get_order_number();
    }

    public function key(): string
    {
        return (string) $this->order->get_order_key();
    }

    public function total(): Amount
    {
        return self::amount($this->order->get_total());
    }

    /** WooCommerce counts in floats; what it shows has the digits of this. */
    public static function amount(mixed $value): Amount
    {
        return Amount::rand(number_format((float) $value, 2, '.', ''));
    }

    public function currency(): string
    {
        return (string) $this->order->get_currency();
    }

    public function userId(): int
    {
        return (int) $this->order->get_customer_id();
    }

    public function payer(): array
    {
        return [
            'email' => (string) $this->order->get_billing_email(),
            'firstName' => mb_substr((string) $this->order->get_billing_first_name(), 0, 100),
            'lastName' => mb_substr((string) $this->order->get_billing_last_name(), 0, 100),
        ];
    }

    public function returnUrl(): string
    {
        return (string) $this->order->get_checkout_order_received_url();
    }

    public function isPaid(): bool
    {
        return (bool) $this->order->is_paid();
    }

    public function get(string $name): mixed
    {
        $value = $this->order->get_meta($name);
        return $value === '' ? null : $value;
    }

    public function set(string $name, mixed $value): void
    {
        if ($value === null) {
            $this->order->delete_meta_data($name);
        } else {
            $this->order->update_meta_data($name, $value);
        }
    }

    public function save(): void
    {
        $this->order->save();
    }

    public function note(string $text): void
    {
        $this->order->add_order_note($text);
    }

    public function complete(string $reference): void
    {
        $this->order->payment_complete($reference);
        $this->note("Paid with Tefo ({$reference}).");
    }

    public function hold(string $why): void
    {
        $this->tell('on-hold', $why);
    }

    public function fail(string $why): void
    {
        $this->tell('failed', $why);
    }

    /** WooCommerce keeps no note with a status that the order has already. */
    private function tell(string $status, string $why): void
    {
        $this->order->update_status($status);
        $this->note($why);
    }

    public function recordRefund(Amount $amount, string $reason): void
    {
        $made = wc_create_refund([
            'order_id' => $this->id(),
            'amount' => (string) $amount,
            'reason' => $reason,
            'refund_payment' => false,
            'restock_items' => false,
        ]);
        if (is_wp_error($made)) {
            $this->note("{$reason}: {$amount}. WooCommerce did not record it: {$made->get_error_message()}");
        }
    }
}
