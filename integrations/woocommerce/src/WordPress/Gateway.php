<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use Tefo\Errors\TefoError;
use TefoWooCommerce\Busy;
use TefoWooCommerce\Checkout;
use TefoWooCommerce\Order;
use TefoWooCommerce\Refused;

/** The way to pay, as WooCommerce sees it: its settings, the start of a payment, refunds. */
final class Gateway extends \WC_Payment_Gateway
{
    public const ID = 'tefo';

    public function __construct()
    {
        $this->id = self::ID;
        $this->method_title = 'Tefo';
        $this->method_description = 'Customers pay in rand on a page of your Tefo service, and come back.';
        $this->has_fields = false;
        $this->supports = [
            'products',
            'refunds',
            'subscriptions',
            'subscription_cancellation',
            'subscription_suspension',
            'subscription_reactivation',
            'subscription_amount_changes',
            'subscription_date_changes',
        ];
        $this->form_fields = self::fields();
        $this->init_settings();
        $this->title = $this->get_option('title', 'Card or EFT');
        $this->description = $this->get_option('description', '');
        add_action('woocommerce_update_options_payment_gateways_' . $this->id, [$this, 'process_admin_options']);
    }

    /** @return array<string, array<string, mixed>> */
    private static function fields(): array
    {
        $secret = static fn (string $title, string $about): array => ['title' => $title, 'type' => 'password', 'default' => '', 'description' => $about];
        return [
            'enabled' => ['title' => 'Enabled', 'type' => 'checkbox', 'label' => 'Take payments with Tefo', 'default' => 'no'],
            'title' => ['title' => 'Title', 'type' => 'text', 'default' => 'Card or EFT', 'description' => 'What customers choose at the checkout.'],
            'description' => ['title' => 'Description', 'type' => 'textarea', 'default' => 'You pay on a secure page and come back here.'],
            'base_url' => ['title' => 'Address of Tefo', 'type' => 'url', 'default' => '', 'placeholder' => 'https://pay.example.co.za'],
            'test' => ['title' => 'Test mode', 'type' => 'checkbox', 'label' => 'Use the key of a sandbox organisation: no money moves', 'default' => 'yes'],
            'test_key' => $secret('Test key', 'An API key of a sandbox organisation.'),
            'test_secret' => $secret('Test webhook secret', 'Shown once when the webhook endpoint is added; the address is below.'),
            'live_key' => $secret('Live key', 'An API key of your live organisation, with the scopes that the guide names.'),
            'live_secret' => $secret('Live webhook secret', 'Webhook address: ' . Hooks::webhookUrl()),
        ];
    }

    public function is_available(): bool
    {
        return parent::is_available()
            && Hooks::settings()->isComplete()
            && Checkout::refusal((string) get_woocommerce_currency()) === null;
    }

    /**
     * @param int $order_id
     * @return array{result: string, redirect?: string}
     */
    public function process_payment($order_id): array
    {
        $parts = Hooks::parts();
        try {
            $url = $parts->orders->locked((int) $order_id, fn (Order $order): string => $parts->checkout->linkFor($order, time()));
            if (is_string($url)) {
                $parts->payments->plan((int) $order_id);
                return ['result' => 'success', 'redirect' => $url];
            }
            $message = 'This order cannot be paid this way.';
        } catch (Refused $refused) {
            $message = $refused->getMessage();
        } catch (TefoError | Busy $error) {
            Hooks::log("Order {$order_id}: {$error->getMessage()}");
            $message = 'The payment page could not be opened. Nothing was paid: please try again.';
        }
        wc_add_notice($message, 'error');
        return ['result' => 'failure'];
    }

    /**
     * @param int $order_id
     * @param float|string|null $amount
     * @param string $reason
     */
    public function process_refund($order_id, $amount = null, $reason = ''): bool|\WP_Error
    {
        $parts = Hooks::parts();
        try {
            $isDone = $parts->orders->locked((int) $order_id, function (Order $order) use ($parts, $amount, $reason): bool {
                $parts->refunds->refund($order, $amount === null ? $order->total() : WooOrder::amount($amount), (string) $reason);
                return true;
            });
        } catch (Refused | Busy $refused) {
            return new \WP_Error('tefo_refund', $refused->getMessage());
        }
        return $isDone === true;
    }
}
