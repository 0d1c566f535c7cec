<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** The way to pay in the checkout of blocks. */
final class BlocksMethod extends AbstractPaymentMethodType
{
    protected $name = Gateway::ID;

    private ?Gateway $gateway = null;

    public function initialize(): void
    {
        $this->settings = (array) get_option('woocommerce_' . Gateway::ID . '_settings', []);
    }

    public function is_active(): bool
    {
        return $this->gateway()->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('tefo-blocks', plugins_url('assets/blocks.js', Hooks::file()), $needs, \Tefo\Tefo::CLIENT_VERSION, true);
        return ['tefo-blocks'];
    }

    /** @return array<string, mixed> what assets/blocks.js reads */
    public function get_payment_method_data(): array
    {
        $gateway = $this->gateway();
        return [
            'title' => $gateway->get_title(),
            'description' => $gateway->get_description(),
            'supports' => array_values(array_filter($gateway->supports, [$gateway, 'supports'])),
        ];
    }

    private function gateway(): Gateway
    {
        return $this->gateway ??= new Gateway();
    }
}
