import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { EXCHANGE, exempt, type InvoiceAnswer, type Invoicing, NOW, openInvoicing } from "../support/invoices.ts";
import { long } from "../support/text.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => closeVerified(api));

const typesOf = async (id: string) => (await shop.eventsOf(id)).map(({ type }) => type);
const page = async (url: string | null) => (await fetch(url ?? assert.fail("no page"))).text();

/** Creates an invoice of 100 in each status. */
const MAKE: Readonly<Record<string, () => Promise<InvoiceAnswer>>> = {
  draft: async () => (await shop.create({ lines: [exempt(100)] })).body,
  sent: () => shop.owe(100),
  overdue: async () => {
    const { id } = await shop.owe(100, { issueDate: "2027-02-28", dueDate: "2027-02-28" });
    await api.query("update invoices set status = 'overdue' where id = $1", id);
    return shop.show(id);
  },
  partially_paid: async () => {
    const { id } = await shop.owe(100);
    await shop.payOffline(id, 40);
    return shop.show(id);
  },
  paid: async () => {
    const { id } = await shop.owe(100);
    await shop.payOffline(id, 100);
    return shop.show(id);
  },
  cancelled: async () => (await shop.act((await shop.owe(100)).id, "cancel")).body,
};
const CALLS: Readonly<Record<string, (id: string) => Promise<Answer<InvoiceAnswer>>>> = {
  send: (id) => shop.act(id, "send"),
  part: (id) => shop.payOffline(id, 1),
  rest: async (id) => shop.payOffline(id, (await shop.show(id)).amountDue || 1),
  online: async (id) => {
    await shop.payOnline(id, (await shop.show(id)).amountDue || 1);
    return { status: 200, headers: {}, text: "", body: await shop.show(id) };
  },
  cancel: (id) => shop.act(id, "cancel"),
};

/** The table of interface 3.3: the next status, "=" when it stays the same, null for 400. */
const GRID: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  draft: { send: "sent", part: "partially_paid", rest: "paid", online: "paid", cancel: "cancelled" },
  sent: { send: "sent", part: "partially_paid", rest: "paid", online: "paid", cancel: "cancelled" },
  overdue: { send: "overdue", part: "partially_paid", rest: "paid", online: "paid", cancel: "cancelled" },
  partially_paid: { send: "partially_paid", part: "partially_paid", rest: "paid", online: "paid", cancel: "cancelled" },
  paid: { send: null, part: null, rest: null, online: "=", cancel: null },
  cancelled: { send: null, part: null, rest: null, online: "=", cancel: "=" },
};
const EVENTS: Readonly<Record<string, string | undefined>> = {
  send: "invoice.sent",
  part: "invoice.partially_paid",
  rest: "invoice.paid",
  online: "invoice.paid",
  cancel: "invoice.cancelled",
};

for (const [from, cells] of Object.entries(GRID))
  describe(`an invoice that is ${from}`, () => {
    for (const [name, to] of Object.entries(cells))
      test(`${name}: ${to === "=" ? "unchanged" : (to ?? "400")}`, async () => {
        const before = await (MAKE[from] ?? assert.fail(from))();
        const told = (await typesOf(before.id)).length;
        const answer = await (CALLS[name] ?? assert.fail(name))(before.id);
        const now = await shop.show(before.id);
        const events = (await shop.eventsOf(before.id)).slice(told);
        if (to === null || to === "=") {
          if (to === null)
            assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"], answer.text);
          else assert.deepEqual([answer.status, answer.body], [200, before]);
          assert.deepEqual([now, events], [before, []], "nothing has changed, and nobody was told");
          return;
        }
        assert.equal(answer.status, name === "part" || name === "rest" ? 201 : 200, answer.text);
        assert.deepEqual([answer.body, now.status], [now, to]);
        assert.equal(now.payUrl === null, to === "paid" || to === "cancelled", "only what can be paid has a page");
        const event = EVENTS[name];
        assert.deepEqual(events, event ? [{ type: event, data: now }] : []);
      });
  });

describe("send", () => {
  test("mails once a send, with its page; a draft is sent, and in the books once", async () => {
    const { body } = await shop.create();
    for (let sends = 1; sends <= 2; sends++) {
      const sent = await shop.act(body.id, "send");
      assert.deepEqual([sent.status, sent.body.status, sent.body.payUrl], [200, "sent", body.payUrl]);
      const mails = await shop.mailsOf(body.number);
      assert.equal(mails.length, sends);
      for (const mail of mails) assert.ok(mail.text.includes(body.payUrl ?? ""));
    }
    const entries = await api.query("select from journal_entries where subject = $1", body.id);
    assert.equal(entries.length, 1);
  });

  test("an Idempotency-Key mails once", async () => {
    const { body } = await shop.create();
    const sent = { headers: { "idempotency-key": "send-1" } };
    const first = await shop.act(body.id, "send", undefined, sent);
    assert.equal((await shop.act(body.id, "send", undefined, sent)).text, first.text);
    assert.equal((await shop.mailsOf(body.number)).length, 1);
  });

  test("after a part payment the old page collects what is open, until a send makes a new one", async () => {
    const { id, payUrl, number } = await shop.owe(100);
    await shop.payOffline(id, 30);
    assert.equal((await shop.show(id)).payUrl, payUrl);
    assert.match(await page(payUrl), /R\s70\.00/);
    const { body } = await shop.act(id, "send");
    assert.notEqual(body.payUrl, payUrl);
    assert.match(await page(body.payUrl), /R\s70\.00/);
    const old = await page(payUrl);
    assert.doesNotMatch(old, /name="gateway"/);
    assert.ok(
      old.includes("This link has been replaced") && old.includes(`href="${body.payUrl}"`),
      "it leads to the new one",
    );
    assert.ok((await shop.mailsOf(number)).at(-1)?.text.includes(body.payUrl ?? ""));
    assert.equal((await shop.act(id, "send")).body.payUrl, body.payUrl, "the balance has not changed since");
    await shop.payOnline(id, 70);
    const paid = await shop.show(id);
    assert.deepEqual([paid.status, paid.payUrl], ["paid", null]);
    assert.doesNotMatch(await page(body.payUrl), /name="gateway"/);
  });

  test("a gateway that came later makes the page; two sends at once make one", async () => {
    const merchant = await api.addMerchant();
    const { body: customer } = await merchant.post<{ id: string }>("/customers", {});
    const { body } = await merchant.post<InvoiceAnswer>("/invoices", { customerId: customer.id, lines: [exempt(5)] });
    assert.equal(body.payUrl, null);
    await merchant.addGateway();
    const sends = await Promise.all(
      Array.from({ length: 4 }, () => merchant.call<InvoiceAnswer>("POST", `/invoices/${body.id}/send`)),
    );
    assert.deepEqual(new Set(sends.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(sends.map(({ body: { payUrl } }) => payUrl)).size, 1);
  });

  test("a link that staff took out of use is replaced", async () => {
    const { id, payUrl } = await shop.owe(100);
    await api.query("update payment_links set active = false where invoice_id = $1", id);
    assert.equal((await shop.show(id)).payUrl, null);
    const { body } = await shop.act(id, "send");
    assert.ok(body.payUrl && body.payUrl !== payUrl);
  });
});

describe("a payment made elsewhere", () => {
  for (const method of ["eft", "cash", "card", "wallet", "other"])
    test(`by ${method}`, async () => {
      const { id } = await shop.owe(10);
      assert.equal((await shop.payOffline(id, 10, { method, reference: "slip 7" })).status, 201);
    });

  test("in parts: each told once, with what is open; paid when the latest was made, not the one that was recorded last", async () => {
    const owed = await shop.owe(100);
    const { id } = owed;
    const part = await shop.payOffline(id, 0.01, { paidAt: "2027-02-28T23:30:00+02:00" });
    const last = await shop.payOffline(id, 99.99, { paidAt: "2027-02-27T23:30:00+02:00" });
    assert.deepEqual(
      [part, last].map(({ status, body }) => [status, body.status, body.amountPaid, body.amountDue, body["paidAt"]]),
      [
        [201, "partially_paid", 0.01, 99.99, null],
        [201, "paid", 100, 0, "2027-02-28T21:30:00.000Z"],
      ],
    );
    assert.deepEqual(await shop.eventsOf(id), [
      { type: "invoice.sent", data: owed },
      { type: "invoice.partially_paid", data: part.body },
      { type: "invoice.paid", data: last.body },
    ]);
    assert.notEqual(part.body.payUrl, null);
    assert.equal(last.body.payUrl, null);
  });

  test("of a draft puts it into the books first", async () => {
    const own = await openInvoicing(api);
    const { body } = await own.create();
    await own.payOffline(body.id, 115);
    assert.deepEqual(await own.books(), { bank: 11_500, revenue: -10_000, vat_output: -1_500 });
    const { status, openInvoices } = await own.standing();
    assert.deepEqual([status, openInvoices], ["good", 0]);
  });

  const REFUSED: [string, object, string][] = [
    ["no amount", { amount: undefined }, "amount"],
    ["amount 0", { amount: 0 }, "amount"],
    ["an amount that rounds to 0", { amount: 0.004 }, "amount"],
    ["an amount below 0", { amount: -1 }, "amount"],
    ["an amount as text", { amount: "1" }, "amount"],
    ["a cent above what is open", { amount: 100.01 }, "amount"],
    ["an amount above 100 000 000", { amount: 100_000_000.01 }, "amount"],
    ["no method", { method: undefined }, "method"],
    ["an unknown method", { method: "cheque" }, "method"],
    ["a reference of 191", { reference: long(191) }, "reference"],
    ["a time that has not come", { paidAt: "2027-03-01T10:00:00.001Z" }, "paidAt"],
    ["a date for a time", { paidAt: "2027-02-28" }, "paidAt"],
    ["a time without a zone", { paidAt: "2027-02-28T10:00:00" }, "paidAt"],
  ];
  for (const [name, given, path] of REFUSED)
    test(`400: ${name}`, async () => {
      const invoice = await shop.owe(100);
      const body = { amount: 1, method: "eft", ...given };
      const answer = await shop.act<Refusal>(invoice.id, "payments", body);
      assert.deepEqual([answer.status, answer.body.error, issuePaths(answer)], [400, "invalid_request", [path]]);
      assert.deepEqual(await shop.show(invoice.id), invoice);
    });

  test("now is not the future, and an Idempotency-Key pays once", async () => {
    const { id } = await shop.owe(100);
    const sent = { headers: { "idempotency-key": "pay-1" } };
    const body = { amount: 10, method: "eft", paidAt: NOW, reference: "" };
    const first = await shop.act(id, "payments", body, sent);
    assert.deepEqual([first.status, (await shop.act(id, "payments", body, sent)).text], [201, first.text]);
    assert.equal((await shop.show(id)).amountPaid, 10);
  });
});

describe("cancel", () => {
  test("the reason is appended to the notes; a repetition changes nothing", async () => {
    const { id } = await shop.owe(100, { notes: "Thank you." });
    const first = await shop.act(id, "cancel", { reason: " ordered twice " });
    assert.deepEqual([first.status, first.body.status], [200, "cancelled"]);
    assert.equal(first.body.notes, "Thank you.\n\nCancelled: ordered twice");
    const again = await shop.act(id, "cancel", { reason: "another" });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual(await typesOf(id), ["invoice.sent", "invoice.cancelled"]);
  });

  for (const [name, body, notes] of [
    ["no body", undefined, null],
    ["an empty one", {}, null],
    ["reason null", { reason: null }, null],
    ["reason without notes", { reason: long(500) }, `Cancelled: ${long(500)}`],
  ] as const)
    test(`with ${name}`, async () => {
      const { id } = await shop.owe(100);
      const answer = await shop.act(id, "cancel", body);
      assert.deepEqual([answer.status, answer.body.notes], [200, notes]);
    });

  test("400: a reason of 501", async () => {
    const { id } = await shop.owe(100);
    const answer = await shop.act<Refusal>(id, "cancel", { reason: long(501) });
    assert.deepEqual([answer.status, issuePaths(answer)], [400, ["reason"]]);
  });

  test("what was paid becomes the customer's credit, flagged on its payment; its pages are closed", async () => {
    const own = await openInvoicing(api);
    const { id, payUrl } = await own.owe(100);
    const reference = await own.payOnline(id, 30);
    await own.payOffline(id, 20);
    const { body } = await own.act(id, "cancel");
    assert.deepEqual([body.status, body.amountPaid, body.payUrl], ["cancelled", 50, null]);
    assert.doesNotMatch(await page(payUrl), /name="gateway"/);
    const { gateway_clearing: cleared, gateway_fees: fees, ...rest } = await own.books();
    assert.equal((cleared ?? 0) + (fees ?? 0), 3_000);
    assert.deepEqual(rest, { bank: 2_000, customer_credit: -5_000 });
    const { status, balance, credit } = await own.standing();
    assert.deepEqual([status, balance, credit], ["good", 0, 50]);
    assert.deepEqual((await own.merchant.get(`/transactions/${reference}`)).body["flags"], ["overpaid"]);
  });

  test("what was refunded before is no credit, and what is left is refunded out of it", async () => {
    const own = await openInvoicing(api);
    const staff = await own.merchant.signIn("finance");
    const { id } = await own.owe(100);
    const reference = await own.payOnline(id, 30);
    const refund = (amount?: number) =>
      staff("POST", `/transactions/${reference}/refunds`, { ...(amount ? { amount } : {}), method: "manual" });
    assert.equal((await refund(10)).status, 201);
    await own.act(id, "cancel");
    assert.equal((await own.standing())["credit"], 20);
    assert.equal((await refund()).status, 201);
    const { gateway_clearing: cleared, gateway_fees: fees, ...rest } = await own.books();
    assert.deepEqual([rest, (cleared ?? 0) + (fees ?? 0)], [{ bank: -3_000 }, 3_000]);
    assert.equal((await own.standing())["credit"], 0);
  });

  test("a draft leaves no trace in the books", async () => {
    const own = await openInvoicing(api);
    await own.act((await own.create()).body.id, "cancel");
    assert.deepEqual(await own.books(), {});
  });
});

describe("what the payer sees of an invoice, as staff are led to it", () => {
  for (const [state, make] of Object.entries(MAKE))
    test(`${state}`, async () => {
      const { id } = await make();
      const staff = await shop.merchant.signIn("viewer");
      const { body } = await staff<{ payerUrl: string | null }>("GET", `/related-records?subject=${id}`);
      if (state === "draft") return assert.equal(body.payerUrl, null);
      const open = state !== "paid" && state !== "cancelled";
      assert.equal(/name="gateway"/.test(await page(body.payerUrl)), open);
    });
});

describe("a payment link of the merchant's own with an invoiceId", () => {
  const post = (fields: object) =>
    shop.merchant.post<{ id: string; url: string } & Refusal>("/payment-links", {
      title: "Deposit",
      amount: 40,
      ...fields,
    });

  test("pays the invoice its own amount, and ends with it", async () => {
    const invoice = await shop.owe(100);
    const { status, body } = await post({ invoiceId: invoice.id });
    assert.equal(status, 201);
    assert.match(await page(body.url), /R\s40\.00/);
    const { status: closed } = await shop.act(invoice.id, "cancel");
    assert.equal(closed, 200);
    assert.doesNotMatch(await page(body.url), /name="gateway"/);
    assert.equal((await shop.merchant.get<{ active: boolean }>(`/payment-links/${body.id}`)).body.active, false);
  });

  test("is for a payer who is no customer yet, whose address is locked before the balance", async () => {
    const invoice = await shop.owe(100);
    const { status, text, body } = await post({ invoiceId: invoice.id, customerEmail: "a.friend@example.co.za" });
    assert.equal(status, 201, text);
    const [link] = await api.query<{ email: string }>(
      "select c.email from payment_links l join customers c on c.id = l.customer_id where l.id = $1",
      body.id,
    );
    assert.equal(link?.email, "a.friend@example.co.za");
  });

  test("400 for an invoice that is unknown, another's, paid, cancelled, or in another currency", async () => {
    const paid = await MAKE["paid"]?.();
    const cancelled = await MAKE["cancelled"]?.();
    const theirs = (await (await openInvoicing(api)).create()).body;
    const foreign = (await shop.create({ currency: "USD", exchange: EXCHANGE })).body;
    for (const [id, path] of [
      ["inv_nobody", "invoiceId"],
      [theirs.id, "invoiceId"],
      [paid?.id, "invoiceId"],
      [cancelled?.id, "invoiceId"],
      [foreign.id, "currency"],
    ] as const) {
      const answer = await post({ invoiceId: id });
      assert.deepEqual([answer.status, answer.body.error, issuePaths(answer)], [400, "invalid_request", [path]]);
    }
  });
});

describe("its transactions", () => {
  test("are of type invoice, and show it with sent or overdue for partly paid", async () => {
    const { id, number } = await shop.owe(100, { externalReference: "on-transactions" });
    const reference = await shop.payOnline(id, 30);
    const shown = async () => (await shop.merchant.get(`/transactions/${reference}`)).body;
    const invoice = { id, number, invoiceNumber: number, externalReference: "on-transactions" };
    const { type, status, invoice: first } = await shown();
    assert.deepEqual([type, status, first], ["invoice", "complete", { ...invoice, status: "sent" }]);
    await api.query("update invoices set due_date = '2027-02-28' where id = $1", id);
    assert.deepEqual((await shown())["invoice"], { ...invoice, status: "overdue" });
    await api.query("update invoices set due_date = '2027-03-15' where id = $1", id);
    await shop.payOnline(id, 70);
    assert.deepEqual((await shown())["invoice"], { ...invoice, status: "paid" });
    const [event] = await shop.eventsOf(reference);
    assert.deepEqual([event?.type, event?.data["invoice"]], ["payment.complete", { ...invoice, status: "sent" }]);
  });
});
