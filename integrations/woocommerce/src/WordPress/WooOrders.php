<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use TefoWooCommerce\Busy;
use TefoWooCommerce\Orders;

/** WooCommerce's orders, locked by the database, and checked by Action Scheduler, which WooCommerce brings. */
final class WooOrders implements Orders
{
    private const SECONDS = 20;

    public function locked(int $id, callable $work): mixed
    {
        global $wpdb;
        $name = substr("tefo-{$wpdb->prefix}{$id}-" . hash('crc32b', DB_NAME), 0, 64);
        if ((int) $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $name, self::SECONDS)) !== 1) {
            throw new Busy("Order {$id} is being worked on.");
        }
        try {
            // What this request has read of the order before may be old.
            clean_post_cache($id);
            wp_cache_delete($id, 'orders');
            $order = wc_get_order($id);
            if (!$order instanceof \WC_Order || $order->get_payment_method() !== Gateway::ID) {
                return null;
            }
            $order->read_meta_data(true);
            return $work(new WooOrder($order));
        } finally {
            $wpdb->query($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }

    public function checkLater(int $id, int $seconds, int $count): void
    {
        as_schedule_single_action(time() + $seconds, Hooks::CHECK, [$id, $count], 'tefo');
    }
}
