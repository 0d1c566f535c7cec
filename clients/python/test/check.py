"""Runs against a service: BASE_URL, TEFO_KEY; deliveries to verify are lines of JSON on stdin."""

import http.server
import json
import os
import sys
import threading
import unittest
import urllib.request
from decimal import Decimal

import tefo
from tefo.testing import Sandbox, later, signed_webhook

BASE_URL = os.environ["BASE_URL"]
KEY = os.environ["TEFO_KEY"]
DELIVERIES = [json.loads(line) for line in sys.stdin]
client = tefo.Tefo(KEY, BASE_URL)


class Breaking(http.server.BaseHTTPRequestHandler):
    """Sends requests on to the service, and breaks the connection of the first two after it has answered."""

    count = 0
    keys = set()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type", "Idempotency-Key")}
        request = urllib.request.Request(BASE_URL + self.path, body, headers, method="POST")
        with urllib.request.urlopen(request) as response:
            answer = response.read()
        Breaking.count += 1
        Breaking.keys.add(headers["Idempotency-Key"])
        if Breaking.count <= 2:
            self.connection.close()
            return
        self.send_response(201)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_args):
        pass


class Client(unittest.TestCase):
    def test_creates_reads_changes(self):
        customer = client.customers.create({"externalReference": "python-1"})
        self.assertEqual(client.customers.get(customer["id"])["externalReference"], "python-1")
        self.assertEqual(client.customers.update(customer["id"], {"firstName": "Thandi"})["firstName"], "Thandi")
        lines = [{"description": "Hosting", "quantity": 1, "unitPrice": tefo.rand("100.10")}]
        invoice = client.invoices.create({"customerId": customer["id"], "lines": lines})
        self.assertEqual(invoice["total"], Decimal("115.12"))
        expanded = client.invoices.get(invoice["id"], {"expand": ["customer", "transactions"]})
        self.assertEqual((expanded["customer"]["firstName"], expanded["transactions"]), ("Thandi", []))
        self.assertEqual(client.invoices.get_pdf(invoice["id"])[:5], b"%PDF-")

    def test_reads_a_list_to_its_end(self):
        made = [client.payment_links.create({"title": "L", "amount": tefo.cents(1250), "externalReference": "py"}) for _ in range(5)]
        query = {"externalReference": "py", "limit": 2}
        self.assertEqual([link["id"] for link in client.payment_links.list(query)], [link["id"] for link in reversed(made)])
        self.assertEqual(len(client.payment_links.list(query).page()["data"]), 2)
        found = client.payment_links.create({"title": "M", "amount": 10, "metadata": {"order": "7 7"}})
        page = client.payment_links.list({"metadata": {"order": "7 7"}}).page()
        self.assertEqual([link["id"] for link in page["data"]], [found["id"]])

    def test_makes_one_thing_of_a_post_whose_connection_broke(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), Breaking)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        through = tefo.Tefo(KEY, f"http://127.0.0.1:{server.server_port}", wait=lambda _seconds: None)
        link = through.payment_links.create({"title": "Once", "amount": tefo.rand("10.00"), "externalReference": "py-once"})
        server.shutdown()
        server.server_close()
        self.assertEqual((Breaking.count, len(Breaking.keys)), (3, 1))
        self.assertEqual([one["id"] for one in client.payment_links.list({"externalReference": "py-once"})], [link["id"]])

    def test_uploads(self):
        order = client.eft_orders.create({"amount": tefo.rand("250.00")})
        slip = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
        sent = client.request("POST", f"/eft-orders/{order['id']}/proof", form={"file": ("slip.pdf", slip)})
        self.assertEqual(sent["status"], "awaiting_review")

    def test_errors_have_classes(self):
        with self.assertRaises(tefo.InvalidRequest) as wrong:
            client.payment_links.create({"title": "", "amount": 10})
        self.assertEqual((wrong.exception.status, wrong.exception.issues[0]["path"]), (400, ["title"]))
        self.assertTrue(wrong.exception.request_id and wrong.exception.doc_url)
        with self.assertRaises(tefo.NotFound):
            client.invoices.get("inv_none")
        with self.assertRaises(tefo.Unauthorized):
            tefo.Tefo("tefo_00000000_" + "a" * 43, BASE_URL).me.get()
        with self.assertRaises(tefo.ConnectionFailed):
            tefo.Tefo(KEY, "http://127.0.0.1:9", retries=0).me.get()
        with self.assertRaises(ValueError):
            client.invoices.get("")


class Money(unittest.TestCase):
    def test_amounts_are_decimals(self):
        self.assertEqual((tefo.rand("12.50"), tefo.cents(1250), tefo.to_cents(tefo.rand("-0.05"))), (Decimal("12.5"), Decimal("12.5"), -5))
        for wrong in (0.1, "12,50", "1e3", ""):
            self.assertRaises(ValueError, tefo.rand, wrong)
        self.assertRaises(ValueError, tefo.cents, 12.5)
        self.assertRaises(ValueError, tefo.to_cents, tefo.rand("0.0125"))
        with self.assertRaises(TypeError):
            client.payment_links.create({"title": "Float", "amount": 12.5})


class Testing(unittest.TestCase):
    def test_lives_through_months_and_rewinds(self):
        sandbox = Sandbox(client)
        before = sandbox.now()
        with sandbox.rewinding():
            customer = client.customers.create({"email": "clock@example.co.za"})
            package = client.packages.create({"name": "Hosting"})
            plan = client.packages.create_plan(package["id"], {"name": "Gold", "amount": tefo.rand("100"), "frequency": "monthly"})
            client.customer_subscriptions.create(
                {"customer": {"id": customer["id"]}, "planId": plan["id"], "collectionMethod": "invoice"}
            )
            sandbox.next("refund", [None, "declined"], customer_id=customer["id"])
            waiting = client.sandbox.list_outcomes().page()["data"]
            self.assertEqual([(one["match"]["nth"], one["outcome"]) for one in waiting], [(2, "declined")])
            self.assertEqual(_day(sandbox.forward("3mo")["now"]), _day(later(before, "3mo")))
            self.assertGreaterEqual(len(client.events.list({"type": "subscription.renewed"}).page()["data"]), 2)
        self.assertEqual(_day(sandbox.now()), _day(before))
        self.assertEqual(client.customers.list({"q": "clock@example.co.za"}).page()["data"], [])
        self.assertEqual(client.test_clock.list_snapshots().page()["data"], [])
        self.assertRaises(tefo.InvalidRequest, sandbox.to, "2001-01-01T00:00:00Z")

    def test_durations_are_added_to_a_time(self):
        now = "2027-01-31T08:00:00.000Z"
        for by, then in (
            ("90m", "2027-01-31T09:30:00.000Z"),
            ("2w", "2027-02-14T08:00:00.000Z"),
            ("1mo", "2027-02-28T08:00:00.000Z"),
            ("13mo", "2028-02-29T08:00:00.000Z"),
            ("1y", "2028-01-31T08:00:00.000Z"),
        ):
            self.assertEqual(later(now, by), then)
        for wrong in ("", "1", "d", "1.5d", "-1d"):
            self.assertRaises(ValueError, later, now, wrong)

    def test_signs_a_webhook_as_the_service_does(self):
        secret = DELIVERIES[0]["secret"]
        event = json.loads(DELIVERIES[0]["body"])
        at = int(DELIVERIES[0]["headers"]["webhook-timestamp"])
        own = signed_webhook(event.pop("type"), event.pop("data"), secret, at=at, **event)
        self.assertEqual(json.loads(own[0]), json.loads(DELIVERIES[0]["body"]))
        body, headers = signed_webhook("payment.complete", {"reference": "TEFO-1", "amount": tefo.rand("349.50")}, secret)
        read = tefo.verify(body, headers, secret)
        self.assertEqual((read["subject"], read["apiVersion"], read["data"]["amount"]), ("TEFO-1", tefo.API_VERSION, Decimal("349.5")))
        self.assertRaises(tefo.WebhookRefused, tefo.verify, body, headers, "whsec_b3RoZXI=")
        late = signed_webhook("payment.complete", {"id": "x"}, secret, at=at - 310)
        self.assertRaises(tefo.WebhookRefused, tefo.verify, *late, secret)


def _day(moment):
    return moment[:10]


class Webhooks(unittest.TestCase):
    def test_verifies_what_the_service_signs(self):
        self.assertTrue(DELIVERIES)
        for one in DELIVERIES:
            payload, headers = one["body"].encode(), one["headers"]
            if one["isSigned"]:
                self.assertEqual(tefo.verify(payload, headers, one["secret"])["id"], headers["Service-Event-Id"])
            else:
                self.assertRaises(tefo.WebhookRefused, tefo.verify, payload, headers, one["secret"])


unittest.main()
