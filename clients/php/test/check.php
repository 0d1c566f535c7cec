<?php

/*
 * Runs against a service: BASE_URL, TEFO_KEY; PROXY_URL breaks the first two connections, BUSY_URL answers 429, 503, then as
 * the service does, HTML_URL answers no JSON, SILENT_URL nothing; deliveries to verify are lines of JSON on stdin.
 */

declare(strict_types=1);

require __DIR__ . '/../autoload.php';
require __DIR__ . '/psr.php';

use Tefo\Amount;
use Tefo\Errors;
use Tefo\Http\Psr18Sender;
use Tefo\Json;
use Tefo\Tefo;
use Tefo\Testing\Sandbox;
use Tefo\Testing\SignedWebhook;
use Tefo\Upload;
use Tefo\Webhooks;

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});
// A machine's setting by which floats are written with 17 digits.
ini_set('serialize_precision', '17');

function same(mixed $found, mixed $expected, string $what = ''): void
{
    if (is_object($expected) ? $found != $expected : $found !== $expected) {
        throw new LogicException(trim("{$what} ") . ': ' . var_export($found, true) . ' is not ' . var_export($expected, true));
    }
}

/** @return Throwable the exception of this class that the work throws */
function thrown(string $class, callable $work): Throwable
{
    try {
        $work();
    } catch (Throwable $error) {
        same($error::class, $class, $error->getMessage());
        return $error;
    }
    throw new LogicException("{$class} was not thrown");
}

$key = (string) getenv('TEFO_KEY');
$url = (string) getenv('BASE_URL');
$tefo = new Tefo($key, $url);
$standIn = new PsrStandIn();
$psr = new Tefo($key, $url, new Psr18Sender($standIn, $standIn, $standIn));

$tests = [
    'creates, reads, changes' => function () use ($tefo, $psr): void {
        foreach (['curl' => $tefo, 'psr' => $psr] as $name => $client) {
            $customer = $client->customers->create(['externalReference' => "php-{$name}", 'metadata' => []]);
            same($client->customers->get($customer['id'])['externalReference'], "php-{$name}");
            same($client->customers->update($customer['id'], ['firstName' => 'Thandi / Ünal'])['firstName'], 'Thandi / Ünal');
            $lines = [['description' => 'Hosting', 'quantity' => 1.5, 'unitPrice' => Amount::rand('100.10')]];
            $invoice = $client->invoices->create(['customerId' => $customer['id'], 'lines' => $lines]);
            same((string) $invoice['total'], '172.67');
            same($invoice['lines'][0]['quantity'], 1.5);
            $expanded = $client->invoices->get($invoice['id'], ['expand' => ['customer', 'transactions']]);
            same([$expanded['customer']['firstName'], $expanded['transactions']], ['Thandi / Ünal', []]);
            same(substr($client->invoices->getPdf($invoice['id']), 0, 5), '%PDF-');
        }
        same($tefo->me->get()['apiVersion'], $psr->me->get()['apiVersion']);
    },
    'reads a list to its end' => function () use ($tefo): void {
        $ids = [];
        foreach (range(1, 5) as $_) {
            $link = $tefo->paymentLinks->create(['title' => 'L', 'amount' => Amount::cents(1250), 'externalReference' => 'php']);
            array_unshift($ids, $link['id']);
        }
        $list = $tefo->paymentLinks->list(['externalReference' => 'php', 'limit' => 2]);
        same(array_column(iterator_to_array($list, false), 'id'), $ids);
        same(array_column($list->page()['data'], 'id'), array_slice($ids, 0, 2));
        $found = $tefo->paymentLinks->create(['title' => 'M', 'amount' => Amount::rand(10), 'metadata' => ['order' => '7 7']]);
        same(array_column($tefo->paymentLinks->list(['metadata' => ['order' => '7 7']])->page()['data'], 'id'), [$found['id']]);
        $active = $tefo->paymentLinks->list(['active' => true, 'externalReference' => null, 'limit' => 1])->page();
        same(count($active['data']), 1);
    },
    'makes one thing of a POST whose connection broke' => function () use ($tefo, $key): void {
        $waits = [];
        $through = new Tefo($key, (string) getenv('PROXY_URL'), wait: function (float $seconds) use (&$waits): void {
            $waits[] = $seconds;
        });
        $link = $through->paymentLinks->create(['title' => 'Once', 'amount' => Amount::rand('10.00'), 'externalReference' => 'php-once']);
        same(array_column(iterator_to_array($tefo->paymentLinks->list(['externalReference' => 'php-once'])), 'id'), [$link['id']]);
        same(count($waits), 2);
        same($waits[0] >= 0.25 && $waits[0] <= 0.5 && $waits[1] >= 0.5 && $waits[1] <= 1.0, true);
    },
    'waits as long as a busy service says, and not too long' => function () use ($key): void {
        $waits = [];
        $wait = function (float $seconds) use (&$waits): void {
            $waits[] = $seconds;
        };
        $busy = new Tefo($key, (string) getenv('BUSY_URL'), wait: $wait);
        same($busy->paymentLinks->create(['title' => 'Busy', 'amount' => Amount::rand('10.00')])['title'], 'Busy');
        same($waits, [7.0, 3.0]);
        $hurried = new Tefo($key, (string) getenv('BUSY_URL'), retryWaitMax: 5, wait: $wait);
        $error = thrown(Errors\RateLimited::class, fn () => $hurried->paymentLinks->create(['title' => 'B', 'amount' => Amount::rand(1)]));
        same([$error->status, $error->retryAfter], [429, 7.0]);
    },
    'uploads' => function () use ($tefo, $psr): void {
        foreach ([$tefo, $psr] as $client) {
            $order = $client->eftOrders->create(['amount' => Amount::rand('250.00')]);
            $slip = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
            $sent = $client->request('POST', "/eft-orders/{$order['id']}/proof", form: ['file' => new Upload('slip "1".pdf', $slip)]);
            same($sent['status'], 'awaiting_review');
        }
        thrown(InvalidArgumentException::class, fn () => Upload::fromPath(__DIR__ . '/none.pdf'));
        same(Upload::fromPath(__FILE__)->name, 'check.php');
    },
    'errors have classes' => function () use ($tefo, $psr, $key, $url): void {
        foreach ([$tefo, $psr] as $client) {
            $wrong = thrown(Errors\InvalidRequest::class, fn () => $client->paymentLinks->create(['title' => '', 'amount' => Amount::rand(10)]));
            same([$wrong->status, $wrong->issues[0]['path']], [400, ['title']]);
            same(is_string($wrong->requestId) && is_string($wrong->docUrl), true);
        }
        thrown(Errors\NotFound::class, fn () => $tefo->invoices->get('inv_none'));
        thrown(Errors\Unauthorized::class, fn () => (new Tefo('tefo_00000000_' . str_repeat('a', 43), $url))->me->get());
        $nobody = 'http://127.0.0.1:9';
        thrown(Errors\ConnectionFailed::class, fn () => (new Tefo($key, $nobody, retries: 0))->me->get());
        $standIn = new PsrStandIn();
        $sender = new Psr18Sender($standIn, $standIn, $standIn);
        thrown(Errors\ConnectionFailed::class, fn () => (new Tefo($key, $nobody, $sender, retries: 0))->me->get());
        thrown(Errors\ConnectionFailed::class, fn () => (new Tefo($key, (string) getenv('SILENT_URL'), timeout: 0.2, retries: 0))->me->get());
        thrown(Errors\ServiceError::class, fn () => (new Tefo($key, (string) getenv('HTML_URL')))->me->get());
        thrown(InvalidArgumentException::class, fn () => $tefo->invoices->get(''));
        thrown(InvalidArgumentException::class, fn () => $tefo->invoices->get('..'));
        thrown(InvalidArgumentException::class, fn () => new Tefo($key, 'pay.example.co.za'));
        thrown(LogicException::class, fn () => $tefo->invoicess);
        same(str_contains(print_r($tefo, true), $key), false, 'the key in a dump');
    },
    'amounts are neither numbers nor mixed' => function () use ($tefo): void {
        same([(string) Amount::rand('12.50'), (string) Amount::cents(1250), (string) Amount::rand(12)], ['12.50', '12.50', '12.00']);
        same([Amount::rand('-0.05')->toCents(), (string) Amount::rand('-0.05'), (string) Amount::rand('0.012500')], [-5, '-0.05', '0.0125']);
        same((string) Amount::rand('0.10')->plus(Amount::rand('0.20'))->minus(Amount::cents(1)), '0.29');
        same([Amount::cents(1)->compare(Amount::cents(2)), Amount::rand('1.00')->equals(Amount::cents(100))], [-1, true]);
        foreach (['12,50', '1e3', '', "1\n", '.5', '1.', '1234567890123', '0.1234567', 0.1] as $wrong) {
            thrown(InvalidArgumentException::class, fn () => Amount::rand($wrong));
        }
        thrown(InvalidArgumentException::class, fn () => Amount::cents(12.0));
        thrown(InvalidArgumentException::class, fn () => Amount::cents(PHP_INT_MAX));
        thrown(RangeException::class, fn () => Amount::rand('0.0125')->toCents());
        foreach ([12.5, 12] as $plain) {
            thrown(InvalidArgumentException::class, fn () => $tefo->paymentLinks->create(['title' => 'Plain', 'amount' => $plain]));
        }
    },
    'JSON keeps digits' => function (): void {
        same(Json::body(['amount' => Amount::rand('999999999999.99'), 'quantity' => 0.1, 'n' => 3, 'lines' => [['unitPrice' => Amount::rand('0.000001')]]]),
            '{"amount":999999999999.99,"quantity":0.1,"n":3,"lines":[{"unitPrice":0.000001}]}');
        same(Json::body([]), '{}');
        same(Json::body(['metadata' => [], 'lines' => [], 'x' => new stdClass(), 'e' => null, 't' => true]), '{"metadata":{},"lines":[],"x":{},"e":null,"t":true}');
        $read = Json::decode('{"amount": 999999999999.99, "rowCounts": {"total": 7}, "total": -7, "rate": 1.5e1, "s": "\"amount\": 12.5 \\\\", "list": [1, 2.5], "e": ""}');
        same((string) $read['amount'], '999999999999.99');
        same([(string) $read['total'], $read['rowCounts']['total'], $read['rate'], $read['list'], $read['e']], ['-7.00', 7, 15.0, [1, 2.5], '']);
        same($read['s'], '"amount": 12.5 \\');
        same(strlen(Json::decode('{"long": "' . str_repeat('ä\\n', 500_000) . '"}')['long']), 1_500_000);
        thrown(JsonException::class, fn () => Json::decode('<html>'));
        thrown(InvalidArgumentException::class, fn () => Json::body(['quantity' => NAN]));
        same(json_encode(['amount' => Amount::rand('115.12')]), '{"amount":"115.12"}');
    },
    'lives through months in a test, and rewinds' => function () use ($tefo): void {
        $sandbox = new Sandbox($tefo);
        $before = $sandbox->now();
        $renewed = $sandbox->rewinding(function () use ($tefo, $sandbox, $before): int {
            $customer = $tefo->customers->create(['email' => 'clock@example.co.za']);
            $package = $tefo->packages->create(['name' => 'Hosting']);
            $plan = $tefo->packages->createPlan($package['id'], ['name' => 'Gold', 'amount' => Amount::rand('100.00'), 'frequency' => 'monthly']);
            $tefo->customerSubscriptions->create(['customer' => ['id' => $customer['id']], 'planId' => $plan['id'], 'collectionMethod' => 'invoice']);
            $sandbox->next('refund', [null, 'declined'], customerId: $customer['id']);
            $waiting = $tefo->sandbox->listOutcomes()->page()['data'];
            same([count($waiting), $waiting[0]['match']['nth'], $waiting[0]['outcome']], [1, 2, 'declined']);
            same(substr($sandbox->forward('3mo')['now'], 0, 10), substr(Sandbox::later($before, '3mo'), 0, 10));
            return count($tefo->events->list(['type' => 'subscription.renewed'])->page()['data']);
        });
        same($renewed >= 2, true);
        same(substr($sandbox->now(), 0, 10), substr($before, 0, 10));
        same($tefo->customers->list(['q' => 'clock@example.co.za'])->page()['data'], []);
        same($tefo->testClock->listSnapshots()->page()['data'], []);
        thrown(Errors\InvalidRequest::class, fn () => $sandbox->to('2001-01-01T00:00:00Z'));
        $now = '2027-01-31T08:00:00.000Z';
        foreach (['90m' => '2027-01-31T09:30', '2w' => '2027-02-14T08:00', '1mo' => '2027-02-28T08:00', '13mo' => '2028-02-29T08:00', '1y' => '2028-01-31T08:00'] as $by => $then) {
            same(Sandbox::later($now, $by), "{$then}:00.000Z");
        }
        foreach (['', '1', 'd', '1.5d', '-1d'] as $wrong) {
            thrown(InvalidArgumentException::class, fn () => Sandbox::later($now, $wrong));
        }
    },
    'signs a webhook for a test' => function (): void {
        $secret = 'whsec_' . base64_encode(random_bytes(32));
        $sent = SignedWebhook::of('payment.complete', ['reference' => 'TEFO-1', 'amount' => Amount::rand('349.50')], $secret, ['sequence' => 2]);
        $event = Webhooks::verify($sent->body, $sent->headers, $secret);
        same([$event['subject'], $event['sequence'], $event['apiVersion'], (string) $event['data']['amount']], ['TEFO-1', 2, Tefo::API_VERSION, '349.50']);
        thrown(Errors\WebhookRefused::class, fn () => Webhooks::verify($sent->body, $sent->headers, 'whsec_b3RoZXI='));
        $late = SignedWebhook::of('payment.complete', ['id' => 'x'], $secret, at: time() - 310);
        thrown(Errors\WebhookRefused::class, fn () => Webhooks::verify($late->body, $late->headers, $secret));
        $key = base64_decode(substr($secret, 6));
        $signed = "{$sent->headers['webhook-id']}.{$sent->headers['webhook-timestamp']}.{$sent->body}";
        same($sent->headers['webhook-signature'], 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true)));
    },
    'verifies what the service signs' => function (): void {
        $count = 0;
        while (($line = fgets(STDIN)) !== false) {
            $one = json_decode($line, true);
            $verify = fn (array $headers): array => Webhooks::verify($one['body'], $headers, $one['secret']);
            $names = array_map(fn (string $name): string => 'HTTP_' . strtoupper(strtr($name, '-', '_')), array_keys($one['headers']));
            $forms = [
                'getallheaders' => $one['headers'],
                '$_SERVER' => ['REQUEST_TIME' => 1] + array_combine($names, $one['headers']),
                'PSR-7' => array_map(fn (string $value): array => [$value], $one['headers']),
            ];
            foreach ($forms as $headers) {
                if ($one['isSigned']) {
                    same($verify($headers)['id'], $one['headers']['Service-Event-Id']);
                } else {
                    thrown(Errors\WebhookRefused::class, fn () => $verify($headers));
                }
            }
            $count++;
        }
        same($count > 5, true);
        thrown(InvalidArgumentException::class, fn () => Webhooks::verify('{}', ['Service-Signature' => 't=' . time() . ',v1=' . hash_hmac('sha256', time() . '.{}', '')], ''));
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
