<?php

/*
 * The least of WordPress and WooCommerce that the plug-in needs, in memory: it runs one request at a time, so that its locks
 * are those of the database in name only.
 */

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        /** @var array<string, bool> */
        public static array $declared = [];

        public static function declare_compatibility(string $feature, string $_file, bool $isCompatible): bool
        {
            self::$declared[$feature] = $isCompatible;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        public function get_name(): string
        {
            return $this->name;
        }
    }
}

namespace {
    define('ABSPATH', __DIR__);
    define('DB_NAME', 'shop');

    /** What the shop has, and what was asked of it. */
    final class Shop
    {
        /** @var array<int, WC_Order> */
        public static array $orders = [];
        /** @var array<string, list<callable>> */
        public static array $hooks = [];
        /** @var array<string, mixed> */
        public static array $options = [];
        /** @var list<array{int, string, array<mixed>}> */
        public static array $scheduled = [];
        /** @var list<string> */
        public static array $notices = [];
        /** @var list<string> */
        public static array $log = [];
        /** @var list<array<string, mixed>> */
        public static array $refunds = [];
        public static string $currency = 'ZAR';
        public static int $received = 0;

        public static function run(string $hook, mixed ...$values): mixed
        {
            $value = $values[0] ?? null;
            foreach (self::$hooks[$hook] ?? [] as $call) {
                $value = $call(...$values);
            }
            return $value;
        }
    }

    final class WP_Error
    {
        public function __construct(public readonly string $code, private readonly string $message)
        {
        }

        public function get_error_message(): string
        {
            return $this->message;
        }
    }

    class WC_Order
    {
        public string $status = 'pending';
        public string $transaction = '';
        public string $key = 'wc_order_key';
        public string $prefix = '';
        /** @var list<string> */
        public array $notes = [];
        /** @var array<string, mixed> */
        private array $meta = [];
        /** @var array<string, mixed> what was saved: all that another process sees */
        private array $saved = [];

        public function __construct(
            private readonly int $id,
            public string $total,
            private readonly int $user = 0,
            public string $currency = 'ZAR',
        ) {
            Shop::$orders[$id] = $this;
        }

        public function get_id(): int
        {
            return $this->id;
        }

        public function get_order_number(): string
        {
            return "{$this->prefix}{$this->id}";
        }

        public function get_order_key(): string
        {
            return "{$this->key}{$this->id}";
        }

        public function get_total(): string
        {
            return $this->total;
        }

        public function get_currency(): string
        {
            return $this->currency;
        }

        public function get_customer_id(): int
        {
            return $this->user;
        }

        public function get_payment_method(): string
        {
            return 'tefo';
        }

        public function get_billing_email(): string
        {
            return "buyer{$this->user}@example.co.za";
        }

        public function get_billing_first_name(): string
        {
            return 'Thandi';
        }

        public function get_billing_last_name(): string
        {
            return '';
        }

        public function get_checkout_order_received_url(): string
        {
            return "https://shop.example/checkout/order-received/{$this->id}/?key={$this->get_order_key()}";
        }

        public function is_paid(): bool
        {
            return in_array($this->status, ['processing', 'completed'], true);
        }

        public function get_meta(string $name): mixed
        {
            return $this->meta[$name] ?? '';
        }

        public function update_meta_data(string $name, mixed $value): void
        {
            $this->meta[$name] = $value;
        }

        public function delete_meta_data(string $name): void
        {
            unset($this->meta[$name]);
        }

        public function read_meta_data(bool $_force): void
        {
            $this->meta = $this->saved;
        }

        public function save(): void
        {
            // As a database has it: text.
            $this->saved = unserialize(serialize($this->meta), ['allowed_classes' => false]);
        }

        public function add_order_note(string $text): void
        {
            $this->notes[] = $text;
        }

        public function update_status(string $status, string $note = ''): void
        {
            if ($status !== $this->status && $note !== '') {
                $this->notes[] = $note;
            }
            $this->status = $status;
            $this->save();
        }

        public function payment_complete(string $transaction): void
        {
            if ($this->is_paid()) {
                throw new LogicException('paid twice');
            }
            $this->status = 'processing';
            $this->transaction = $transaction;
            $this->save();
        }
    }

    class WC_Payment_Gateway
    {
        public $id;
        public $title;
        public $description;
        public $method_title;
        public $method_description;
        public $has_fields;
        public $supports = [];
        public $form_fields = [];
        public $enabled = 'no';

        public function init_settings(): void
        {
            $this->enabled = $this->get_option('enabled', 'no');
        }

        public function get_option(string $name, mixed $default = null): mixed
        {
            return Shop::$options["woocommerce_{$this->id}_settings"][$name] ?? $default;
        }

        public function process_admin_options(): bool
        {
            return true;
        }

        public function is_available(): bool
        {
            return $this->enabled === 'yes';
        }

        public function supports(string $feature): bool
        {
            return in_array($feature, $this->supports, true);
        }

        public function get_title(): string
        {
            return $this->title;
        }

        public function get_description(): string
        {
            return $this->description;
        }
    }

    /** Locks are had at once: there is one process. */
    $wpdb = new class {
        public string $prefix = 'wp_';

        public function prepare(string $sql, mixed ...$values): string
        {
            return vsprintf($sql, $values);
        }

        public function get_var(string $_sql): string
        {
            return '1';
        }

        public function query(string $_sql): bool
        {
            return true;
        }
    };

    function add_action(string $hook, callable $call, int $_priority = 10, int $_count = 1): void
    {
        Shop::$hooks[$hook][] = $call;
    }

    function add_filter(string $hook, callable $call): void
    {
        add_action($hook, $call);
    }

    function get_option(string $name, mixed $default = false): mixed
    {
        return Shop::$options[$name] ?? $default;
    }

    /** Another in each run, so that a service can be used for several. */
    function home_url(): string
    {
        return 'https://shop.example/' . getmypid();
    }

    function get_woocommerce_currency(): string
    {
        return Shop::$currency;
    }

    function wc_get_order(int $id): WC_Order|false
    {
        return Shop::$orders[$id] ?? false;
    }

    function wc_create_refund(array $refund): stdClass
    {
        Shop::$refunds[] = $refund;
        return (object) $refund;
    }

    function is_wp_error(mixed $value): bool
    {
        return $value instanceof WP_Error;
    }

    function wc_add_notice(string $text, string $_kind): void
    {
        Shop::$notices[] = $text;
    }

    function wc_get_logger(): object
    {
        return new class {
            public function error(string $text, array $_context): void
            {
                Shop::$log[] = $text;
            }
        };
    }

    function WC(): object
    {
        return new class {
            public function api_request_url(string $name): string
            {
                return "https://shop.example/wc-api/{$name}/";
            }
        };
    }

    function as_schedule_single_action(int $at, string $hook, array $values, string $_group): int
    {
        Shop::$scheduled[] = [$at, $hook, $values];
        return count(Shop::$scheduled);
    }

    function clean_post_cache(int $_id): void
    {
    }

    function wp_cache_delete(int $_id, string $_group): bool
    {
        return true;
    }

    function is_order_received_page(): bool
    {
        return Shop::$received > 0;
    }

    function get_query_var(string $_name): string
    {
        return (string) Shop::$received;
    }

    function plugins_url(string $path, string $_file): string
    {
        return "https://shop.example/wp-content/plugins/tefo/{$path}";
    }

    function wp_register_script(string $handle, string $_url, array $_needs, string $_version, bool $_inFooter): bool
    {
        return $handle !== '';
    }
}
