import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { type CardShop, cardsNow, eventsOf, MASTERCARD, openCardShop, setupNow } from "../support/cards.ts";
import { alertsAbout, batchesOf, batchNow, debitOf, debitReference, mandateIs } from "../support/debit-batches.ts";
import { addRecurringLink, chargesNow, MISSING, subscriptionNow } from "../support/gateway-subscriptions.ts";
import { addMandate, mandateNow, type Shown } from "../support/mandates.ts";
import { faultsOf } from "../support/verified.ts";

/*
 * Money that comes by itself, through every interface: a saved card is charged, a debit order is signed, collected and returned unpaid, a
 * subscription renews, and another one misses. The clock stands at Monday, 2027-03-01, 12:00 South African time, and is moved.
 */

const PHONE = { viewport: { width: 375, height: 700 } };
const CUSTOMER = "thandi@example.co.za";
const SETTINGS = { debitOrders: { requireApproval: true }, chargeDefaultCardWhenDue: true };

interface Received {
  readonly id: string;
  readonly type: string;
}

interface Mail {
  readonly kind: string;
  readonly text: string;
  readonly recipients: readonly string[];
}

interface Stage extends CardShop {
  readonly page: Page;
  /** Webhooks that arrived. */
  readonly received: readonly Received[];
  /** Of the merchant's own site: the customer returns there. */
  readonly site: string;
  mails(): Promise<readonly Mail[]>;
  /** No finding of axe, and nothing wider than the screen. */
  inspect(what: string): Promise<void>;
}

/** A server that collects webhooks, and shows a page to browsers. */
async function openSite(t: TestContext): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") response.setHeader("content-type", "text/html").end("<h1>Welcome back</h1>");
    else
      text(request).then((body) => {
        received.push(JSON.parse(body));
        response.writeHead(204).end();
      });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function openStage(t: TestContext): Promise<Stage> {
  const api = await openApi({ PROCESS: "all" });
  t.after(() => api.close());
  const site = await openSite(t);
  const shop = await openCardShop(api);
  const { staff } = shop;
  const page = await openPage(t, PHONE);
  assert.equal((await staff("PUT", "/allowed-return-urls", { origins: [site.url] })).status, 200);
  assert.equal((await staff("POST", "/webhook-endpoints", { url: `${site.url}/`, events: ["*"] })).status, 201);
  assert.equal((await staff("PATCH", "/settings", SETTINGS)).status, 200);
  assert.equal(
    (await shop.shop.call("PATCH", `/customers/${shop.customer}`, { body: { email: CUSTOMER } })).status,
    200,
  );
  return {
    ...shop,
    page,
    received: site.received,
    site: site.url,
    mails: async () => (await staff<{ data: Mail[] }>("GET", "/emails?limit=100")).body.data,
    async inspect(what) {
      assert.deepEqual(await axeFindings(page), [], what);
      const wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate<number>(wider), 0, what);
    },
  };
}

/** Waits until `look` answers something: the worker runs in the background. */
async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
  return assert.fail(`never: ${what}`);
}

const counted = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** What is told once for each of these, whatever else happens. */
const expectMore = (counts: Record<string, number>, more: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
};

/** Pays on the sandbox gateway's page, on which the browser is. */
async function payWith(page: Page, card: string, saveCard: boolean): Promise<void> {
  await page.waitForURL("**/sandbox-gateway/**");
  await page.getByLabel("Card number").fill(card);
  if (saveCard) await page.getByLabel(/save/i).check();
  await page.locator('button[name="outcome"][value="complete"]').click();
}

/** A card is saved on its hosted page; the 1.00 is taken off the next invoice, whose id is answered. */
async function saveCard(stage: Stage, told: Record<string, number>): Promise<string> {
  const { shop, page, customer, site } = stage;
  const setup = await shop.post(`/customers/${customer}/cards/setup`, { returnUrl: `${site}/account?tab=cards` });
  assert.equal(setup.status, 201, setup.text);
  await page.goto(String(setup.body["url"]));
  await stage.inspect("card page");
  await page.getByRole("button", { name: /save the card/ }).click();
  await payWith(page, MASTERCARD, true);
  await page.waitForURL(`${site}/**`);
  assert.equal(page.url(), `${site}/account?tab=cards&cardSetup=${setup.body["id"]}&status=completed`);

  const [card] = await cardsNow(stage);
  assert.partialDeepStrictEqual(await setupNow(stage, setup.body), { status: "completed", cardId: card?.["id"] });
  assert.partialDeepStrictEqual(card, { brand: "mastercard", last4: "4444", isDefault: true, chargeable: true });
  const { body: invoice } = await shop.post<{ id: string }>("/invoices", {
    customerId: customer,
    lines: [{ description: "Shelves", quantity: 1, unitPrice: 200 }],
    send: true,
  });
  assert.partialDeepStrictEqual((await shop.get(`/invoices/${invoice.id}`)).body, { total: 230, amountDue: 229 });
  expectMore(told, { "payment.complete": 1, "customer.payment_method.added": 1 });
  expectMore(told, { "credit_note.created": 1, "credit_note.issued": 1, "credit_note.applied": 1 });
  expectMore(told, { "invoice.partially_paid": 1, "customer.standing.changed": 1 });
  // The customer's address was changed before.
  expectMore(told, { "invoice.sent": 1, "customer.updated": 1 });
  return invoice.id;
}

/** The card is charged by API, and settles on the second business day. */
async function chargeCard(stage: Stage, told: Record<string, number>): Promise<void> {
  const { shop, customer } = stage;
  const { key } = await shop.addKey(["charge_saved_cards"]);
  const body = { amount: 120.5, description: "Delivery", externalReference: "delivery-1" };
  const charge = await shop.post(`/customers/${customer}/cards/default/charges`, body, { key });
  assert.equal(charge.status, 201, charge.text);
  const path = `/transactions/${charge.body["reference"]}`;
  await stage.move("2027-03-02T21:00:00.000Z");
  assert.equal((await shop.get(path)).body["status"], "pending");
  await stage.move("2027-03-03T10:00:00.000Z");
  assert.partialDeepStrictEqual((await shop.get(path)).body, { status: "complete", type: "card_debit", amount: 120.5 });
  const again = await shop.post(`/customers/${customer}/cards/default/charges`, body, { key });
  assert.deepEqual([again.status, again.body["error"]], [409, "charge_exists"]);
  expectMore(told, { "payment.complete": 1 });
}

/** A debit order agreement is signed on its page, and the mandate approved; answers it. */
async function signMandate(stage: Stage): Promise<Shown> {
  const { page, staff } = stage;
  const mandate = await addMandate(stage);
  const mail = await eventually("the agreement's mail", async () =>
    (await stage.mails()).find(({ kind }) => kind === "mandate_agreement"),
  );
  await page.goto(/http:\/\/\S+\/sign-mandate\/\S+/.exec(mail.text)?.[0] ?? assert.fail("no page to sign on"));
  await stage.inspect("agreement");
  await page.getByLabel("Full name").fill("Thandi Nkosi");
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Sign the agreement" }).click();
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  assert.partialDeepStrictEqual(await mandateNow(stage, mandate), { status: "pending", stage: "awaiting_approval" });
  assert.equal((await staff("POST", `/mandates/${mandate["id"]}/approve`)).status, 200);
  assert.partialDeepStrictEqual(await mandateNow(stage, mandate), {
    status: "active",
    nextDebitDate: "2027-03-25",
    agreement: { signed: true },
  });
  return mandate;
}

/** What the daily batch of 25 March, before Easter, collected is returned unpaid; the clock stands at 18 April. */
async function comeBackUnpaid(stage: Stage, mandate: Shown, told: Record<string, number>): Promise<void> {
  const [batch] = await batchesOf(stage);
  assert.ok(batch);
  assert.partialDeepStrictEqual(batch, { actionDate: "2027-03-25", status: "submitted", count: 1, amount: 350.5 });
  assert.partialDeepStrictEqual(await batchNow(stage, batch), { results: { collected: 1, unpaid: 0, pending: 0 } });
  assert.partialDeepStrictEqual(await debitOf(stage, mandate, "20270325"), {
    status: "complete",
    type: "debit_order",
    paidAt: "2027-03-30T22:00:00.000Z",
  });
  await mandateIs(stage, mandate, { failureCount: 0, lastCollectedAt: "2027-03-25", nextDebitDate: "2027-04-25" });
  expectMore(told, { "payment.complete": 1 });
  const reference = debitReference(mandate, "20270325");
  assert.equal((await stage.staff("POST", "/sandbox/notify", { reference, status: "failed", times: 3 })).status, 200);
  const { status, reversals } = await debitOf(stage, mandate, "20270325");
  assert.equal(status, "complete");
  assert.partialDeepStrictEqual(reversals, [{ amount: 350.5, code: "02" }]);
  await mandateIs(stage, mandate, { failureCount: 1, status: "active" });
  expectMore(told, { "payment.reversed": 1, "mandate.debit_collected": 1, "mandate.debit_unpaid": 1 });
  expectMore(told, { "debit_batch.submitted": 1, "debit_batch.completed": 1 });
  assert.equal((await alertsAbout(stage, /a bank reversed/)).length, 1, "staff are told once");
}

/** The next debit day, a Sunday, is collected on the Monday, and the count of unpaid debits begins anew. */
async function collectAgain(stage: Stage, mandate: Shown, told: Record<string, number>): Promise<void> {
  const [batch] = await batchesOf(stage);
  assert.partialDeepStrictEqual(batch, { actionDate: "2027-04-26", status: "submitted", count: 1 });
  assert.partialDeepStrictEqual(await debitOf(stage, mandate, "20270425"), { status: "complete", amount: 350.5 });
  await mandateIs(stage, mandate, { failureCount: 0, lastCollectedAt: "2027-04-25", nextDebitDate: "2027-05-25" });
  expectMore(told, { "payment.complete": 1, "mandate.debit_collected": 1 });
  expectMore(told, { "debit_batch.submitted": 1, "debit_batch.completed": 1 });
}

/** A recurring link is paid with a card; answers the subscription's id. */
async function subscribe(stage: Stage, card: string, told: Record<string, number>): Promise<string> {
  const { page, shop } = stage;
  const link = await addRecurringLink(stage, { customerId: stage.customer, customerEmail: undefined });
  await page.goto(String(link["url"]));
  await stage.inspect("recurring link");
  await page.getByRole("button", { name: /R 100/ }).click();
  await payWith(page, card, false);
  await page.waitForURL("**/result/**");
  const { subscription } = await eventually("a subscription that has begun", async () => {
    const { body } = await shop.get<{ subscription: { id: string; status: string } | null }>(
      `/payment-links/${link["id"]}`,
    );
    return body.subscription?.status === "active" && { subscription: body.subscription };
  });
  expectMore(told, { "payment.complete": 1, "subscription.activated": 1 });
  return subscription.id;
}

/** The invoice falls due on 2027-03-15: the default card is charged for its balance, once, and settles on the second business day. */
async function fallDue({ shop, move }: Stage, invoice: string, told: Record<string, number>): Promise<void> {
  await move("2027-03-16T12:00:00.000Z");
  assert.partialDeepStrictEqual((await shop.get(`/invoices/${invoice}`)).body, {
    status: "partially_paid",
    amountDue: 229,
  });
  await move("2027-03-17T12:00:00.000Z");
  assert.partialDeepStrictEqual((await shop.get(`/invoices/${invoice}`)).body, { status: "paid", amountDue: 0 });
  // Overdue while the bank was asked, then good again.
  expectMore(told, { "payment.complete": 1, "invoice.overdue": 1, "invoice.paid": 1, "customer.standing.changed": 2 });
}

/** Two subscriptions: one renews at a changed amount, is paused, resumed and cancelled; the other misses its renewal, and the retry too. */
async function renew(stage: Stage, told: Record<string, number>): Promise<void> {
  const { shop } = stage;
  const renewing = await subscribe(stage, MASTERCARD, told);
  const missing = await subscribe(stage, MISSING, told);
  const updated = await shop.post(`/subscriptions/${renewing}/update`, { amount: 150 });
  assert.partialDeepStrictEqual(updated.body, { subscription: { amount: 150 }, result: { mode: "in_place" } });
  await stage.move("2027-04-18T12:00:00.000Z");
  const [renewal, first] = await chargesNow(stage, renewing);
  assert.partialDeepStrictEqual(renewal, { status: "complete", type: "recurring", renewal: true, amount: 150 });
  assert.equal(renewal?.["parentReference"], first?.["reference"]);
  assert.equal((await subscriptionNow(stage, renewing))["status"], "active");
  assert.equal((await subscriptionNow(stage, missing))["status"], "past_due");
  expectMore(told, { "payment.complete": 1, "subscription.charged": 1 });
  expectMore(told, { "payment.failed": 1, "subscription.payment_failed": 1 });
  const retried = await shop.post(`/subscriptions/${missing}/retry`, {});
  assert.partialDeepStrictEqual(retried.body, { result: { mode: "card", amount: 100, status: "failed" } });
  expectMore(told, { "payment.failed": 1, "subscription.payment_failed": 1 });
  for (const [action, status] of [
    ["pause", "paused"],
    ["resume", "active"],
    ["cancel", "cancelled"],
  ] as const)
    for (const time of ["first", "again"]) {
      const { body } = await shop.post(`/subscriptions/${renewing}/${action}`, undefined);
      assert.equal(body["status"], status, `${action}, ${time}`);
    }
  expectMore(told, { "subscription.paused": 1, "subscription.resumed": 1, "subscription.cancelled": 1 });
}

/** Three subscriptions are brought over; the payer of one confirms a card, and is charged on the next date. */
async function migrate({ shop, page, move }: Stage, told: Record<string, number>): Promise<void> {
  const { body } = await shop.post<{ data: { checkoutUrl: string; subscriptionId: string }[] }>(
    "/subscriptions/migrations",
    {
      subscriptions: ["old-1", "old-2", "old-3"].map((legacyReference) => ({
        payerName: "Sipho Dube",
        email: `${legacyReference}@example.co.za`,
        amount: 80,
        frequency: "monthly",
        nextDate: "2027-05-03",
        legacyReference,
      })),
    },
  );
  const [first] = body.data;
  assert.ok(first);
  await page.goto(first.checkoutUrl);
  await page.getByRole("button", { name: /save the card/ }).click();
  await payWith(page, MASTERCARD, true);
  await page.getByRole("heading", { name: "Card saved" }).waitFor();
  const statuses = async () =>
    (await shop.get<{ data: { status: string }[] }>("/subscriptions/migrations")).body.data.map(({ status }) => status);
  await eventually("the old subscription is cancelled", async () => (await statuses()).includes("legacy_cancelled"));
  assert.deepEqual(await statuses(), ["link_sent", "link_sent", "legacy_cancelled"]);
  expectMore(told, { "customer.created": 3, "subscription.created": 3, "subscription.activated": 1 });
  expectMore(told, { "payment.complete": 1, "customer.payment_method.added": 1 });
  expectMore(told, { "credit_note.created": 1, "credit_note.issued": 1 });
  await move("2027-05-03T12:00:00.000Z");
  const payments = `/customer-subscriptions/${first.subscriptionId}/payments`;
  assert.equal((await shop.get<{ data: unknown[] }>(payments)).body.data.length, 2);
  // The card is asked for the rest of the invoice, which the 1.00 has paid in part; the other two wait a month longer.
  expectMore(told, { "subscription.renewed": 1, "subscription.updated": 2, "customer.standing.changed": 1 });
  expectMore(told, { "invoice.created": 1, "credit_note.applied": 1, "invoice.partially_paid": 1 });
}

test("a card is charged, a debit order signed and collected, a subscription renewed, and each thing is told once", async (t) => {
  const stage = await openStage(t);
  const told: Record<string, number> = {};
  const invoice = await saveCard(stage, told);
  await chargeCard(stage, told);
  const mandate = await signMandate(stage);
  expectMore(told, { "mandate.created": 1, "mandate.signed": 1, "mandate.activated": 1 });
  await fallDue(stage, invoice, told);
  await renew(stage, told);
  await comeBackUnpaid(stage, mandate, told);
  await migrate(stage, told);
  await collectAgain(stage, mandate, told);

  const all = Object.values(told).reduce((sum, count) => sum + count, 0);
  await eventually("every webhook", async () => stage.received.length >= all);
  await sleep(300);
  assert.deepEqual(
    counted(stage.received.map(({ type }) => type)),
    counted(Object.entries(told).flatMap(([type, count]) => Array<string>(count).fill(type))),
  );
  assert.equal(new Set(stage.received.map(({ id }) => id)).size, stage.received.length);
  // The customer was made before there was an endpoint.
  assert.equal((await eventsOf(stage, "%")).length, all + 1);

  const toCustomer = (await stage.mails()).filter(({ recipients }) => recipients.includes(CUSTOMER));
  assert.deepEqual(counted(toCustomer.map(({ kind }) => kind)), {
    debit_unpaid: 1,
    invoice: 1,
    invoice_reminder: 1,
    mandate_agreement: 1,
    mandate_agreement_signed: 1,
    receipt: 8,
  });
  assert.deepEqual(await faultsOf(stage.api, stage.shop.organisation), []);
});
