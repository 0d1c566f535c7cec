<?php

/*
 * A shop on a real service: BASE_URL; SHOP_KEY, which has the scopes that the guide names and may charge saved cards;
 * LIMITED_KEY, which may not; TEFO_KEY, by which the test itself looks and moves the clock. https://shop.example is an
 * allowed return address, and GATEWAY an account that saves cards.
 */

declare(strict_types=1);

require __DIR__ . '/wordpress.php';
require __DIR__ . '/../tefo.php';

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use Tefo\Amount;
use Tefo\Errors\ConnectionFailed;
use Tefo\Http\CurlSender;
use Tefo\Http\Request;
use Tefo\Http\Response;
use Tefo\Http\Sender;
use Tefo\Tefo;
use TefoWooCommerce\Names;
use TefoWooCommerce\Refused;
use TefoWooCommerce\WordPress\BlocksMethod;
use TefoWooCommerce\WordPress\Gateway;
use TefoWooCommerce\WordPress\Hooks;
use TefoWooCommerce\WordPress\Parts;
use TefoWooCommerce\WordPress\WooOrder;
use TefoWooCommerce\WordPress\WooOrders;

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

const SECRET = 'whsec_of_the_test';
$url = (string) getenv('BASE_URL');
$tefo = new Tefo((string) getenv('TEFO_KEY'), $url);
Shop::$options['woocommerce_tefo_settings'] = [
    'enabled' => 'yes', 'base_url' => $url, 'test' => 'yes', 'test_key' => (string) getenv('SHOP_KEY'), 'test_secret' => SECRET,
];

function same(mixed $found, mixed $expected, string $what = ''): void
{
    if ($found !== $expected) {
        throw new LogicException(trim("{$what} ") . ': ' . var_export($found, true) . ' is not ' . var_export($expected, true));
    }
}

/** Sends, and loses the answer of as many requests of this kind as it is told. */
final class Losing implements Sender
{
    public function __construct(private readonly string $method, private readonly string $part, private int $count, private readonly CurlSender $sender = new CurlSender())
    {
    }

    public function send(Request $request): Response
    {
        $answer = $this->sender->send($request);
        if ($request->method === $this->method && str_contains($request->url, $this->part) && $this->count-- > 0) {
            throw new ConnectionFailed('The answer was lost.');
        }
        return $answer;
    }
}

/** The plug-in's parts over a client that loses answers, with the retries of the shop. */
function losing(string $method, string $part, int $count): Parts
{
    $client = new Tefo((string) getenv('SHOP_KEY'), (string) getenv('BASE_URL'), new Losing($method, $part, $count), retries: 2, wait: static fn () => null);
    return new Parts($client, new WooOrders(), new Names(home_url()), true);
}

/** Posts a form as a browser does; where it leads. */
function post(string $url, array $fields): string
{
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_POSTFIELDS => http_build_query($fields),
        CURLOPT_HTTPHEADER => ['Origin: ' . getenv('BASE_URL')],
    ]);
    $page = (string) curl_exec($curl);
    $next = (string) curl_getinfo($curl, CURLINFO_REDIRECT_URL);
    same($next !== '', true, "no way on from {$url}: " . substr(trim(strip_tags($page)), 0, 500));
    return $next;
}

/** Pays on the hosted page and at the sandbox gateway; the reference of the payment. */
function pay(string $url, string $outcome = 'complete', array $more = []): string
{
    preg_match('/name="gateway" value="(gw_\w+)"/', (string) file_get_contents($url), $found);
    post(post($url, ['gateway' => $found[1] ?? getenv('GATEWAY')]), ['outcome' => $outcome, 'card' => '4242424242424242', 'expiry' => '12/40'] + $more);
    global $tefo;
    return $tefo->transactions->list(['limit' => 1])->page()['data'][0]['reference'];
}

/** The last event of a payment, as Tefo delivers it. */
function delivery(string $reference): array
{
    global $tefo;
    $event = $tefo->request('GET', '/events', query: ['subject' => $reference, 'limit' => 1])['data'][0];
    $payload = json_encode($event, JSON_THROW_ON_ERROR);
    $time = time();
    return [$payload, ['HTTP_SERVICE_SIGNATURE' => "t={$time},v1=" . hash_hmac('sha256', "{$time}.{$payload}", SECRET)]];
}

function receive(array $delivery): int
{
    return Hooks::parts()->payments->receive($delivery[0], $delivery[1], Hooks::settings()->secrets());
}

/** The payer comes back, with whatever address the browser has. */
function come(WC_Order $order, array $query = []): void
{
    Shop::$received = $order->get_id();
    $_GET = $query + ['key' => $order->get_order_key()];
    Shop::run('template_redirect');
    Shop::$received = 0;
}

function started(WC_Order $order): string
{
    $answer = (new Gateway())->process_payment($order->get_id());
    same($answer['result'], 'success', implode(' ', [...Shop::$notices, ...Shop::$log]));
    return $answer['redirect'];
}

/** @return list<string> the links that Tefo has of an order */
function links(WC_Order $order): array
{
    global $tefo;
    $found = [];
    foreach ($tefo->paymentLinks->list(['metadata' => (new Names(home_url()))->metadata(new WooOrder($order))]) as $link) {
        $found[] = $link['id'];
    }
    return $found;
}

$tests = [
    'is a way to pay of both checkouts, where the shop sells in rand' => function (): void {
        Shop::run('before_woocommerce_init');
        same(FeaturesUtil::$declared, ['custom_order_tables' => true, 'cart_checkout_blocks' => true]);
        same(Shop::run('woocommerce_payment_gateways', []), [Gateway::class]);
        $blocks = new BlocksMethod();
        $blocks->initialize();
        same([$blocks->get_name(), $blocks->is_active(), $blocks->get_payment_method_script_handles()], ['tefo', true, ['tefo-blocks']]);
        same(in_array('refunds', $blocks->get_payment_method_data()['supports'], true), true);
        Shop::$currency = 'USD';
        same([(new Gateway())->is_available(), $blocks->is_active()], [false, false]);
        Shop::$currency = 'ZAR';
        same((new Gateway())->is_available(), true);
        $dollars = new WC_Order(90, '10.00', currency: 'USD');
        same((new Gateway())->process_payment(90)['result'], 'failure');
        same([array_pop(Shop::$notices), links($dollars)], ['Tefo takes payments in South African rand (ZAR), and this shop sells in USD.', []]);
    },
    'takes a payment once, whatever comes first and twice' => function (): void {
        $order = new WC_Order(101, '349.50');
        $link = started($order);
        same(started($order), $link, 'the same page again');
        come($order, ['status' => 'complete', 'reference' => 'TEFO-20261120-8F3A12C7']);
        same($order->status, 'pending', 'after a forged return');
        $reference = pay($link);
        $given = delivery($reference);
        same(receive([$given[0], ['HTTP_SERVICE_SIGNATURE' => 't=' . time() . ',v1=' . str_repeat('0', 64)]]), 400);
        same(receive([str_replace('349.5', '9.5', $given[0]), $given[1]]), 400);
        same($order->status, 'pending', 'after forged webhooks');
        same(receive($given), 204);
        same([$order->status, $order->transaction], ['processing', $reference]);
        $notes = $order->notes;
        same([receive($given), receive(delivery($reference))], [204, 204]);
        come($order, ['status' => 'failed']);
        Shop::run(Hooks::CHECK, 101, 0);
        same([$order->status, $order->notes], ['processing', $notes]);
        same(count($notes), 2);
        same(links($order), [$order->get_meta('_tefo_link')['id']]);
    },
    'takes it from the return alone, and from a check alone' => function (): void {
        $returned = new WC_Order(102, '20.00');
        $reference = pay(started($returned));
        come($returned, ['key' => 'wc_order_guessed']);
        same($returned->status, 'pending', 'with another key');
        come($returned);
        same([$returned->status, $returned->transaction], ['processing', $reference]);
        $checked = new WC_Order(103, '20.00');
        $link = started($checked);
        same(end(Shop::$scheduled)[1], Hooks::CHECK);
        same(end(Shop::$scheduled)[2], [103, 0]);
        $count = count(Shop::$scheduled);
        Shop::run(Hooks::CHECK, 103, 0);
        same(Shop::$scheduled[$count][2], [103, 1], 'the next check');
        pay($link);
        Shop::run(Hooks::CHECK, 103, 1);
        same($checked->status, 'processing');
        same(count(Shop::$scheduled), $count + 1);
    },
    'keeps an order open when an attempt fails' => function (): void {
        $order = new WC_Order(104, '30.00');
        $link = started($order);
        $failed = pay($link, 'failed');
        same([receive(delivery($failed)), $order->status, count($order->notes)], [204, 'pending', 1]);
        come($order);
        same(count($order->notes), 1);
        same(started($order), $link);
        pay($link);
        come($order);
        same($order->status, 'processing');
    },
    "takes nobody else's payment" => function () use ($tefo): void {
        $paid = new WC_Order(105, '40.00');
        $reference = pay(started($paid));
        $other = new WC_Order(106, '40.00');
        started($other);
        come($other, ['reference' => $reference, 'status' => 'complete']);
        same($other->status, 'pending');
        $forged = $tefo->paymentLinks->create(['title' => 'Forged', 'amount' => Amount::rand('40.00'),
            'metadata' => (new Names(home_url()))->metadata(new WooOrder($other))]);
        same([receive(delivery(pay($forged['url']))), $other->status], [204, 'pending']);
        $rekeyed = new WC_Order(120, '40.00');
        $link = started($rekeyed);
        $rekeyed->key = 'wc_order_other';
        pay($link);
        come($rekeyed);
        same($rekeyed->status, 'pending', 'an order whose key is not the one that was asked for');
        $stranger = new Names('https://other.example');
        same($stranger->orderOf((new Names(home_url()))->metadata(new WooOrder($other))), null);
    },
    'makes one link, however often the answer is lost' => function (): void {
        $order = new WC_Order(107, '50.00');
        $work = fn (Parts $parts) => $parts->orders->locked(107, fn ($one) => $parts->checkout->linkFor($one, time()));
        try {
            $work(losing('POST', '/payment-links', 9));
            throw new LogicException('not lost');
        } catch (ConnectionFailed) {
        }
        same(count(links($order)), 1);
        // Another body, which the first Idempotency-Key would not recognise.
        $order->prefix = '#';
        $link = started($order);
        same(links($order), [$order->get_meta('_tefo_link')['id']]);
        pay($link);
        come($order);
        same($order->status, 'processing');
        $again = new WC_Order(108, '50.00');
        same(is_string(losing('POST', '/payment-links', 2)->orders->locked(108, fn ($one) => losing('POST', '/payment-links', 2)->checkout->linkFor($one, time()))), true);
        same(count(links($again)), 1);
    },
    'does not take another amount, or a second payment' => function (): void {
        $order = new WC_Order(109, '60.00');
        $old = started($order);
        $order->total = '75.00';
        $new = started($order);
        same([$new !== $old, count(links($order))], [true, 2]);
        $wrong = pay($old);
        same([receive(delivery($wrong)), $order->status, $order->transaction], [204, 'on-hold', '']);
        pay($new);
        come($order);
        come($order);
        same([$order->status, count($order->notes)], ['processing', 3]);
        $twice = new WC_Order(110, '60.00');
        $first = started($twice);
        $twice->total = '61.00';
        $second = started($twice);
        $twice->total = '60.00';
        pay($first);
        come($twice);
        same($twice->status, 'processing');
        receive(delivery(pay($second)));
        same([$twice->status, str_contains(end($twice->notes), 'again')], ['on-hold', true]);
        $count = count($twice->notes);
        come($twice);
        same(count($twice->notes), $count);
    },
    'refunds what there is, once' => function () use ($tefo): void {
        $order = new WC_Order(111, '100.00');
        $gateway = new Gateway();
        $early = $gateway->process_refund(111, 10.0);
        same($early instanceof WP_Error, true);
        $reference = pay(started($order));
        come($order);
        same($gateway->process_refund(111, '30.10', 'Out of stock'), true);
        same((string) $tefo->transactions->get($reference)['refundedAmount'], '30.10');
        receive(delivery($reference));
        come($order);
        same(Shop::$refunds, [], 'the shop has its own refund for it');
        $much = $gateway->process_refund(111, 69.91);
        same($much->get_error_message(), 'At most 69.90 ZAR of this payment can be refunded.');
        same($gateway->process_refund(111, '0') instanceof WP_Error, true);
        $parts = losing('POST', '/refunds', 9);
        try {
            $parts->orders->locked(111, fn ($one) => $parts->refunds->refund($one, Amount::rand('20.00'), ''));
            throw new LogicException('not lost');
        } catch (Refused $refused) {
            same(str_contains($refused->getMessage(), 'will not be refunded twice'), true);
        }
        same($gateway->process_refund(111, '20.00'), true);
        same((string) $tefo->transactions->get($reference)['refundedAmount'], '50.10');
        same($gateway->process_refund(111, '20.00'), true, 'a second refund of the same amount');
        same((string) $tefo->transactions->get($reference)['refundedAmount'], '70.10');
        $tefo->transactions->refund($reference, ['amount' => Amount::rand('5.00')]);
        receive(delivery($reference));
        receive(delivery($reference));
        come($order);
        same(array_column(Shop::$refunds, 'amount'), ['5.00']);
        same($order->status, 'processing');
    },
    'charges the saved card of a renewal' => function () use ($tefo): void {
        $order = new WC_Order(112, '100.00', 7);
        pay(started($order), 'complete', ['saveCard' => 'on']);
        come($order);
        same($order->status, 'processing');
        same(Shop::run('wc_subscriptions_object_data', ['_tefo_reference' => 'TEFO-1', '_order_total' => '1']), ['_order_total' => '1']);
        $renewal = new WC_Order(113, '100.00', 7);
        $hook = 'woocommerce_scheduled_subscription_payment_tefo';
        Shop::run($hook, 100.0, $renewal);
        same([$renewal->status, str_contains(end($renewal->notes), '4242')], ['on-hold', true]);
        Shop::run($hook, 100.0, $renewal);
        $customer = $tefo->customers->list(['externalReference' => (new Names(home_url()))->ofUser(7)])->page()['data'][0];
        $charges = array_filter($tefo->transactions->list(['customerId' => $customer['id']])->page()['data'], fn ($one) => $one['type'] === 'card_debit');
        same(count($charges), 1);
        $now = new DateTimeImmutable($tefo->testClock->get()['now']);
        $tefo->testClock->move(['now' => $now->modify('+7 days')->format('Y-m-d\TH:i:s\Z')]);
        Shop::run(Hooks::CHECK, 113, 3);
        same($renewal->status, 'processing');
        same((new Gateway())->process_refund(113, '40.00'), true);
        $lost = new WC_Order(114, '80.00', 7);
        $parts = losing('POST', '/charges', 9);
        try {
            $parts->orders->locked(114, fn ($one) => $parts->renewals->charge($one));
            throw new LogicException('not lost');
        } catch (ConnectionFailed) {
        }
        Shop::run('tefo_charge_renewal', 114);
        same($lost->status, 'on-hold');
        $stranger = new WC_Order(115, '80.00', 8);
        Shop::run($hook, 80.0, $stranger);
        same([$stranger->status, str_contains($stranger->notes[0], 'not charged')], ['failed', true]);
        Shop::$options['woocommerce_tefo_settings']['test_key'] = (string) getenv('LIMITED_KEY');
        $limited = new WC_Order(116, '80.00', 7);
        Shop::run($hook, 80.0, $limited);
        same([$limited->status, str_contains($limited->notes[0], 'permission')], ['failed', true]);
        Shop::$options['woocommerce_tefo_settings']['test_key'] = (string) getenv('SHOP_KEY');
        $guest = new WC_Order(117, '80.00');
        Shop::run($hook, 80.0, $guest);
        same($guest->status, 'failed');
    },
    'says so when Tefo cannot be reached' => function (): void {
        Shop::$options['woocommerce_tefo_settings']['base_url'] = 'http://127.0.0.1:9';
        $order = new WC_Order(118, '10.00');
        same((new Gateway())->process_payment(118)['result'], 'failure');
        same(array_pop(Shop::$notices), 'The payment page could not be opened. Nothing was paid: please try again.');
        $given = ['{"id":"evt_1","type":"payment.complete","data":{"reference":"TEFO-1","metadata":' . json_encode((new Names(home_url()))->metadata(new WooOrder($order))) . '}}'];
        $given[] = ['HTTP_SERVICE_SIGNATURE' => 't=' . time() . ',v1=' . hash_hmac('sha256', time() . ".{$given[0]}", SECRET)];
        same(receive($given), 503, 'so that it is sent again');
        Shop::$options['woocommerce_tefo_settings']['base_url'] = 'pay.example';
        same((new Gateway())->is_available(), false);
    },
];

foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok {$name}\n";
    } catch (Throwable $error) {
        echo "not ok {$name}: {$error}\n";
        exit(1);
    }
}
echo 'Ran ' . count($tests) . " tests\n";
