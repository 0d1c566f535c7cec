<?php

declare(strict_types=1);

namespace TefoWooCommerce\WordPress;

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use Tefo\Errors\TefoError;
use Tefo\Tefo;
use TefoWooCommerce\Busy;
use TefoWooCommerce\Names;
use TefoWooCommerce\Order;

/** Where WordPress and WooCommerce call the plug-in. */
final class Hooks
{
    /** The action of Action Scheduler that checks an order. */
    public const CHECK = 'tefo_check_order';

    private const RENEWAL_CHECK = 'tefo_charge_renewal';
    private const RENEWAL_WAIT = 900;

    private static string $file = '';

    public static function register(string $file): void
    {
        self::$file = $file;
        add_action('before_woocommerce_init', [self::class, 'declareFeatures']);
        add_filter('woocommerce_payment_gateways', static fn (array $all): array => [...$all, Gateway::class]);
        add_action('woocommerce_blocks_payment_method_type_registration', static function (object $registry): void {
            $registry->register(new BlocksMethod());
        });
        add_action('woocommerce_api_tefo', [self::class, 'receive']);
        add_action('template_redirect', [self::class, 'returned']);
        add_action(self::CHECK, static function (int $id, int $count): void {
            self::parts()->payments->checkAndPlan($id, $count);
        }, 10, 2);
        add_action('woocommerce_scheduled_subscription_payment_' . Gateway::ID, static function (mixed $_total, \WC_Order $order): void {
            self::renew((int) $order->get_id());
        }, 10, 2);
        add_action(self::RENEWAL_CHECK, [self::class, 'renew']);
        add_filter('wc_subscriptions_object_data', [self::class, 'withoutOwn']);
    }

    /**
     * What is stored with one order is not copied to its subscription and from there to renewals, which have payments of their own.
     *
     * @param array<string, mixed> $data
     * @return array<string, mixed>
     */
    public static function withoutOwn(array $data): array
    {
        return array_filter($data, static fn (string $name): bool => !str_starts_with($name, '_tefo_'), ARRAY_FILTER_USE_KEY);
    }

    /** Orders in tables of their own, and the checkout of blocks. */
    public static function declareFeatures(): void
    {
        if (class_exists(FeaturesUtil::class)) {
            FeaturesUtil::declare_compatibility('custom_order_tables', self::$file, true);
            FeaturesUtil::declare_compatibility('cart_checkout_blocks', self::$file, true);
        }
    }

    /** A delivery of Tefo. */
    public static function receive(): never
    {
        $status = self::settings()->isComplete()
            ? self::parts()->payments->receive((string) file_get_contents('php://input'), $_SERVER, self::settings()->secrets())
            : 503;
        status_header($status);
        exit;
    }

    /**
     * Before the page of a finished order is shown, Tefo is asked how it stands. Parameters that Tefo added to the address
     * are not read, since anybody can write them; only the order's key is, so that strangers cause no requests.
     */
    public static function returned(): void
    {
        $id = is_order_received_page() ? (int) get_query_var('order-received') : 0;
        $order = $id > 0 && self::settings()->isComplete() ? wc_get_order($id) : null;
        $key = isset($_GET['key']) && is_string($_GET['key']) ? $_GET['key'] : '';
        if (!$order instanceof \WC_Order || $order->get_payment_method() !== Gateway::ID || !hash_equals($order->get_order_key(), $key)) {
            return;
        }
        try {
            self::parts()->payments->check($id);
        } catch (TefoError | Busy $error) {
            // The page says that the order is awaited; a webhook or a check brings the rest.
            self::log("Order {$id}: {$error->getMessage()}");
        }
    }

    /** Charges a renewal's saved card; again later when it is not known whether it was charged. */
    public static function renew(int $id): void
    {
        $parts = self::parts();
        try {
            $parts->orders->locked($id, fn (Order $order) => $parts->renewals->charge($order));
            $parts->payments->plan($id);
        } catch (TefoError | Busy $error) {
            self::log("Renewal {$id}: {$error->getMessage()}");
            as_schedule_single_action(time() + self::RENEWAL_WAIT, self::RENEWAL_CHECK, [$id], 'tefo');
        }
    }

    public static function webhookUrl(): string
    {
        return (string) WC()->api_request_url('tefo');
    }

    public static function settings(): Settings
    {
        return new Settings((array) get_option('woocommerce_' . Gateway::ID . '_settings', []));
    }

    /** The client waits for a page of the shop, so it waits for little. */
    public static function parts(): Parts
    {
        $settings = self::settings();
        $tefo = new Tefo($settings->key(), $settings->baseUrl(), timeout: 15, retries: 2, retryWaitMax: 3);
        return new Parts($tefo, new WooOrders(), new Names((string) home_url()), $settings->isTest());
    }

    public static function log(string $text): void
    {
        wc_get_logger()->error($text, ['source' => Gateway::ID]);
    }

    public static function file(): string
    {
        return self::$file;
    }
}
