import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestApi } from "../support/api.ts";
import { type Done, dayIn, fewOf, inDays, kept, type Operations, openChaos, play } from "../support/chaos.ts";
import { addTransfers } from "../support/eft.ts";
import { exempt, type InvoiceAnswer, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { notify, refundAnswer, reportedPayment } from "../support/payments.ts";
import { faultsOf } from "../support/verified.ts";

/*
 * As chaos.db.test.ts, for invoices, quotes, credit notes and bank transfers, and credit that is paid out, with two
 * processes. One of them is also the worker, so that due work runs beside the requests. No internal error, no deadlock,
 * no fault found by `verify`, no gap in the numbers of documents.
 */

const TURNS = 1_200;

/** Kinds of due work that the test runs before their time. */
const WOKEN = ["quote.expire", "eft.expire", "eft.remind"];
/** Rules of `verify` that do not hold here: payments that the test has inserted have no due work, and work that was run early is gone. */
const UNAWAITED = new Set(["pending_awaited", "expiry_awaited", "transfer_expiry_awaited"]);

interface Stage {
  readonly shop: Invoicing;
  readonly customers: string[];
  readonly invoices: string[];
  readonly quotes: string[];
  /** Pay pages of invoices. */
  readonly pages: string[];
  readonly orders: string[];
  readonly payments: string[];
  wake(): Promise<Done>;
  /** Chooses bank transfer on a pay page; answers the order's id, or null. */
  choose(page: string): Promise<string | null>;
  tell(reference: string, status: "complete" | "failed", amount: number): Promise<{ readonly status: number }>;
}

type Acts = Operations<Stage>;

const DOCUMENTS: Acts = {
  create({ invoices, customers, pages }, { which, other }, call) {
    const body = {
      customerId: fewOf(customers, other),
      lines: [exempt(20 + (which % 5) * 20)],
      issueDate: dayIn(-40),
      dueDate: dayIn((other % 4) * 10 - 15),
      send: which % 3 > 0,
      ...(other % 3 ? {} : { externalReference: `order ${which % 6}` }),
    };
    const made = kept(invoices, call("POST", "/invoices", body));
    return kept(pages, made, ({ payUrl }: InvoiceAnswer) => payUrl);
  },
  send: ({ invoices }, { which }, call) => call("POST", `/invoices/${fewOf(invoices, which)}/send`),
  payOffline: ({ invoices }, { which, other }, call) =>
    call("POST", `/invoices/${fewOf(invoices, which)}/payments`, { amount: 1 + (other % 60), method: "eft" }),
  cancel: ({ invoices }, { which }, call) => call("POST", `/invoices/${fewOf(invoices, which)}/cancel`),
  credit({ customers }, { which, other }, call) {
    const body = { customerId: fewOf(customers, which), amount: 1 + (other % 90), reason: "Goodwill" };
    return call("POST", "/credit-notes", body);
  },
  correct({ invoices }, { which, other }, call) {
    const body = { invoiceId: fewOf(invoices, which), amount: 1 + (other % 30), reason: "Wrong" };
    return call("POST", "/credit-notes", body);
  },
  quote({ customers, quotes }, { which, other }, call) {
    const body = {
      customerId: fewOf(customers, which),
      lineItems: [exempt(50)],
      expiryDate: dayIn(1 + (which % 4)),
      send: other % 3 > 0,
    };
    return kept(quotes, call("POST", "/quotes", body));
  },
  moveQuote({ quotes }, { which, other }, call) {
    const action = ["send", "accept", "decline", "draft"][other % 4];
    return call("POST", `/quotes/${fewOf(quotes, which)}/${action}`);
  },
  convert({ quotes, invoices }, { which }, call) {
    const made = call("POST", `/quotes/${fewOf(quotes, which)}/convert`);
    return kept(invoices, made, ({ invoice }: { invoice: InvoiceAnswer }) => invoice.id);
  },
};

const MONEY: Acts = {
  link({ invoices, pages }, { which, other }, call) {
    const payer = other % 2 ? {} : { customerEmail: `c${which % 3}@example.org` };
    const body = { title: "a", amount: 10 + (other % 30), invoiceId: fewOf(invoices, which), ...payer };
    return kept(pages, call("POST", "/payment-links", body), ({ url }: { url: string }) => url);
  },
  async report({ shop, invoices, payments, tell }, { which, other }) {
    const amount = 10 + (other % 4) * 20;
    const reference = other % 5 ? await shop.attempt(fewOf(invoices, which), amount) : fewOf(payments, which);
    if (!payments.includes(reference)) payments.push(reference);
    return tell(reference, other % 7 ? "complete" : "failed", amount);
  },
  refund({ payments }, { which, other }, call) {
    const body = { amount: 1 + (other % 9), method: other % 3 ? "gateway" : "manual" };
    return call("POST", `/transactions/${fewOf(payments, which)}/refunds`, body);
  },
  payOut({ customers }, { which, other }, call) {
    const body = other % 3 ? { amount: 1 + (other % 40) } : undefined;
    return call("POST", `/customers/${fewOf(customers, which)}/credit-refunds`, body);
  },
  async transfer({ pages, orders, choose }, { which }) {
    const id = await choose(fewOf(pages, which));
    if (id && !orders.includes(id)) orders.push(id);
    return { status: 200 };
  },
  order({ orders, customers }, { which, other }, call) {
    const customer = { id: fewOf(customers, other) };
    const body = { amount: 30, externalReference: `order ${which % 4}`, customer, expiresAt: inDays(1 + (other % 4)) };
    return kept(orders, call("POST", "/eft-orders", body));
  },
  moveOrder({ orders }, { which, other }, call) {
    const action = ["approve", "reject", "cancel"][other % 3];
    return call(
      "POST",
      `/eft-orders/${fewOf(orders, which)}/${action}`,
      action === "reject" ? { reason: "No." } : undefined,
    );
  },
};

const OTHERS: Acts = {
  patch({ customers }, { which, other }, call) {
    const body = { externalReference: `ref ${other % 4}`, ...(other % 3 ? {} : { active: which % 2 === 0 }) };
    return call("PATCH", `/customers/${fewOf(customers, which)}`, body);
  },
  upsert: (_stage, { which, other }, call) =>
    call("POST", "/customers", { externalReference: `ref ${other % 4}`, email: `c${which % 3}@example.org` }),
  settings: (_stage, { which, other }, call) =>
    call("PATCH", "/settings", {
      dueDays: which % 30,
      invoiceReminders: { daysBefore: [1 + (other % 3)], daysAfter: [1 + (which % 2)] },
    }),
  /** Runs due work before its time; it must then change nothing. */
  wake: ({ wake }) => wake(),
};

const OFTEN = ["create", "create", "report", "report", "payOffline", "moveOrder"];

/** Operations that only staff have; they go to the first process. */
const STAFF_ONLY = new Set(["credit", "correct", "refund", "payOut", "moveQuote", "moveOrder", "settings"]);

async function chooseTransfer(api: TestApi, page: string, gateway: string): Promise<string | null> {
  const path = new URL(page).pathname;
  const shown = await api.call("GET", path);
  const [, formToken] = /name="formToken" value="([^"]+)"/.exec(shown.text) ?? [];
  if (!formToken) return null;
  const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
  const body = new URLSearchParams({ gateway, formToken }).toString();
  const begun = await api.call("POST", path, { body, headers });
  assert.ok(begun.status < 500, begun.text);
  const [order] = await api.query<{ id: string }>(
    "select id from eft_orders where payment_link_id is not null order by id desc limit 1",
  );
  return order?.id ?? null;
}

async function openStage(api: TestApi): Promise<Stage> {
  const shop = await openInvoicing(api, { clockAt: null });
  const { merchant, account } = shop;
  const transfers = await addTransfers(merchant);
  const customers = [shop.customerId];
  for (const email of ["c0@example.org", "c1@example.org"]) {
    const { body } = await merchant.post<{ id: string }>("/customers", { email });
    customers.push(body.id);
  }
  const first = await shop.owe(100);
  return {
    shop,
    customers,
    async wake() {
      await api.query(
        `update due_work set due_at = clock_timestamp(), is_due = true where (organisation_id, kind, subject) in (
           select organisation_id, kind, subject from due_work where kind = any ($1) and lease_until is null for update skip locked)`,
        WOKEN,
      );
      return { status: 200 };
    },
    invoices: [first.id],
    quotes: [],
    pages: [String(first.payUrl)],
    orders: [],
    payments: [await shop.payOnline(first.id, 30)],
    choose: (page) => chooseTransfer(api, page, transfers.id),
    tell: (reference, status, amount) =>
      notify(api, account, { payment: reportedPayment(reference, status, { amount: Math.round(amount * 100) }) }),
  };
}

/** Numbers of a kind of document, in the order in which they were assigned. */
async function numbersOf(api: TestApi, table: "invoices" | "credit_notes" | "quotes"): Promise<number[]> {
  const rows = await api.query<{ number: string }>(`select number from ${table} order by number`);
  return rows.map(({ number }) => Number(number.split("-")[1]));
}

test("invoicing, many at once over few records", { timeout: 200_000 }, async (t) => {
  const chaos = await openChaos(t, { standIn: true });
  const { api, gateway } = chaos;
  let asked = 0;
  gateway.replies.set("POST refunds", (call) => {
    asked++;
    if (asked % 7 === 0) return { text: "what?" };
    return refundAnswer(call, asked % 5 === 0 ? "refused" : asked % 3 === 0 ? "pending" : "processed");
  });
  const stage = await openStage(api);
  await play(chaos, {
    merchant: stage.shop.merchant,
    stage,
    operations: { ...DOCUMENTS, ...MONEY, ...OTHERS },
    often: OFTEN,
    staffOnly: STAFF_ONLY,
    turns: TURNS,
    atOnce: 24,
  });

  for (const table of ["invoices", "credit_notes", "quotes"] as const) {
    const numbers = await numbersOf(api, table);
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, index) => index + 1),
      table,
    );
  }
  const broken = await faultsOf(api);
  assert.deepEqual(
    broken.filter(({ rule }) => !UNAWAITED.has(rule)),
    [],
  );
});
