import assert from "node:assert/strict";
import type { ApiMerchant, StaffCall, TestApi } from "./api.ts";
import { addCard, addSetup, begin, type CardShop, choiceOf, choose, VISA } from "./cards.ts";
import { addOrder, addTransfers, upload } from "./eft.ts";
import { addRecurringLink } from "./gateway-subscriptions.ts";
import { mailsOf } from "./mails.ts";
import { CLICKATELL } from "./messaging-stand-ins.ts";
import { eventually } from "./processes.ts";
import { imported, statementOf } from "./reconciliation.ts";
import { formOf, pngOf } from "./uploads.ts";

/**
 * Ids of an organisation's records by the paths of their kinds, which are those of the API and of the dashboard's
 * pages: `customers`, `packages/plans`.
 */
export type RecordIds = Readonly<Record<string, string>>;

/** What an address names that is no record of an organisation's. */
const NO_RECORDS: RecordIds = {
  "accounting/months": "2026-10",
  "accounting/deferred-revenue": "2026-10",
  "accounting/vat201": "2026-10",
  "accounting/software": "quickbooks",
  messaging: "sms",
  exports: "quickbooks",
  "reset-password": "token",
};

const PARAMETER = /^(?:\{\w+\}|\$\w+)$/;

/**
 * Whether a path, as the API (`/customers/{id}`) or the dashboard's router (`/customers/$id`) writes it, names a record
 * of an organisation.
 */
export const namesRecord = (path: string): boolean => kindsIn(path).some((kind) => !(kind in NO_RECORDS));

/** The kinds of what a path names, in their order. */
export const kindsIn = (path: string): string[] => {
  const parts = path.split("/").slice(1);
  return parts.flatMap((part, at) => (PARAMETER.test(part) ? [kindOf(parts.slice(0, at))] : []));
};

const kindOf = (parts: readonly string[]): string => parts.filter((part) => !PARAMETER.test(part)).join("/");

/** The path with the records' ids in place of its parameters. Fails for a kind without one. */
export function filled(path: string, ids: RecordIds): string {
  const parts = path.split("/").slice(1);
  const named = parts.map((part, at) => {
    if (!PARAMETER.test(part)) return part;
    const kind = kindOf(parts.slice(0, at));
    const id = ids[kind] ?? NO_RECORDS[kind];
    assert.ok(id, `${path}: test/support/one-of-each.ts makes no record at ${kind}`);
    return id;
  });
  return `/${named.join("/")}`;
}

/** Makes one record of each kind that the dashboard has, with texts by `text`, which is asked for so many characters. */
export async function addOneOfEach(
  api: TestApi,
  shop: ApiMerchant,
  text: (length: number) => string,
): Promise<RecordIds> {
  const staff = await shop.signIn();
  const account = await shop.addGateway({ name: text(100) });
  await addTransfers(shop);
  const make: Make = async (path, body) => {
    const answer = await staff<{ id: string } & Record<string, unknown>>("POST", path, body);
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    return answer.body;
  };
  const customer = await make("/customers", {
    ...{ company: text(200), firstName: text(100), lastName: text(100), email: "payer@example.co.za" },
    ...{ externalReference: text(100), address: text(1000) },
  });
  const stage: CardShop = { api, shop, account, staff, customer: customer.id, move: async () => ({}) };
  const made = {
    customers: customer.id,
    gateways: account.id,
    ...(await sold(stage, make, text)),
    ...(await charged(stage, make, text)),
    ...(await transferred(stage, make, text)),
    ...(await debited(stage, make, text)),
    ...(await imports(stage, text)),
    ...(await developed(stage, make, text)),
    ...(await messaged(api, staff)),
    "test-clock/snapshots": (await make("/test-clock/snapshots", { name: text(100) })).id,
  };
  const first = async (path: string) => {
    const { body } = await staff<{ data: { id: string }[] }>("GET", path);
    const [record] = body.data;
    assert.ok(record, `there is one at ${path}`);
    return record.id;
  };
  return { ...made, emails: await first("/emails"), events: await first("/events") };
}

/** A message that waits, by a provider that is switched off so that nothing leaves, and a number that wants none. */
async function messaged(api: TestApi, staff: StaffCall) {
  const connect = (enabled: boolean) =>
    staff<{ reportsUrl: string }>("PUT", "/messaging/sms", {
      provider: "clickatell",
      enabled,
      credentials: { apiKey: "key", from: "27600000000" },
    });
  await connect(true);
  const message = await staff<{ id: string }>("POST", "/messaging/sms/test", { phone: "082 123 4567" });
  assert.equal(message.status, 201, message.text);
  const { reportsUrl } = (await connect(false)).body;
  const phone = "+27831234567";
  const told = CLICKATELL.reply(phone, "STOP");
  const { pathname } = new URL(reportsUrl);
  assert.equal((await fetch(new URL(pathname, api.baseUrl), { method: "POST", ...told })).status, 200);
  return { messages: message.body.id, "message-opt-outs": phone };
}

type Make = (path: string, body: object) => Promise<{ id: string } & Record<string, unknown>>;
type Text = (length: number) => string;

/** The catalogue, and what is sold from it. */
async function sold({ shop, customer }: CardShop, make: Make, text: Text) {
  const product = await make("/products", { name: text(200), description: text(1000), amount: 99.99 });
  const pack = await make("/packages", { name: text(200), description: text(1000) });
  const plan = await make(`/packages/${pack.id}/plans`, { name: text(200), amount: 500, frequency: "annually" });
  const coupon = await make("/coupons", { code: "WELCOME", name: text(200), percent: 10, planIds: [plan.id] });
  const session = await make("/checkout-sessions", {
    productId: product.id,
    customer: { email: "thandi@example.co.za", company: text(200), firstName: text(100) },
  });
  const subscription = await make("/customer-subscriptions", {
    ...{ customer: { id: customer }, planId: plan.id, collectionMethod: "invoice", externalReference: text(100) },
    items: [{ kind: "metered", description: text(500), unitAmount: 12.5 }],
  });
  const [item] = subscription["items"] as { id: string }[];
  assert.ok(item, "the subscription has an item");
  const migrated = await shop.post<{ data: { id: string }[] }>("/subscriptions/migrations", {
    subscriptions: [
      {
        ...{ payerName: text(200), email: "moved@example.co.za", legacyReference: text(190) },
        ...{ amount: 120, frequency: "monthly", nextDate: "2031-03-15" },
      },
    ],
  });
  return {
    products: product.id,
    packages: pack.id,
    "packages/plans": plan.id,
    coupons: coupon.id,
    "checkout-sessions": session.id,
    "customer-subscriptions": subscription.id,
    "customer-subscriptions/items": item.id,
    "subscriptions/migrations": migrated.body.data[0]?.id ?? "",
  };
}

/** What a customer is asked for, and has paid by card. */
async function charged(stage: CardShop, make: Make, text: Text) {
  const { shop, customer } = stage;
  const lines = [{ description: text(1000), quantity: 1, unitPrice: 100 }];
  const invoice = await make("/invoices", {
    ...{ customerId: customer, lines, notes: text(4000), externalReference: text(190), send: true },
  });
  const recorded = await stage.staff("POST", `/invoices/${invoice.id}/payments`, { amount: 1, method: "eft" });
  assert.equal(recorded.status, 201, recorded.text);
  const paid = await stage.staff<{ data: { id: string }[] }>("GET", `/invoices/${invoice.id}/payments`);
  const quote = await make("/quotes", {
    ...{ customerId: customer, lineItems: [{ ...lines[0], details: text(4000) }], notes: text(4000) },
  });
  const note = await make("/credit-notes", { customerId: customer, reason: text(500), amount: 5 });
  const link = await addRecurringLink(stage, { title: text(100), description: text(255), customerId: customer });
  const { reference, gatewayUrl } = await begin(stage, String(link["url"]));
  await choose(stage, gatewayUrl, choiceOf(VISA));
  const { subscriptionId } = (await shop.get(`/transactions/${reference}`)).body;
  const refund = { amount: 1, reason: text(255), method: "manual" };
  const refunded = await stage.staff("POST", `/transactions/${reference}/refunds`, refund);
  assert.ok(refunded.status < 300, refunded.text);
  const { dispute, evidence } = await disputed(stage, link, text);
  const card = await addCard(stage);
  const setup = await addSetup(stage);
  return {
    invoices: invoice.id,
    "invoices/payments": paid.body.data[0]?.id ?? "",
    quotes: quote.id,
    "credit-notes": note.id,
    "payment-links": String(link["id"]),
    transactions: reference,
    subscriptions: String(subscriptionId),
    disputes: dispute,
    "disputes/evidence": evidence,
    "customers/cards": String(card["id"]),
    "customers/cards/setup": String(setup["id"]),
  };
}

/** A payment that its payer disputes, with a file that answers it. */
async function disputed(stage: CardShop, { customerId }: Readonly<Record<string, unknown>>, text: Text) {
  const { shop } = stage;
  const body = { title: text(100), amount: 30, customerId, singleUse: true };
  const link = await shop.post<{ url: string }>("/payment-links", body);
  assert.equal(link.status, 201, link.text);
  const { reference, gatewayUrl } = await begin(stage, link.body.url);
  await choose(stage, gatewayUrl, choiceOf(VISA));
  const told = await stage.staff("POST", "/sandbox/notify", { reference, status: "disputed" });
  assert.equal(told.status, 200, told.text);
  const { data } = (await shop.get<{ data: { id: string }[] }>(`/disputes?transactionReference=${reference}`)).body;
  const [dispute] = data;
  assert.ok(dispute, "the payment is disputed");
  const file = { field: "file", name: `${text(60)}.png`, type: "image/png", bytes: pngOf(40, 30) };
  const { body: raw, headers } = await formOf(file);
  const path = `/disputes/${dispute.id}/evidence`;
  const answered = await shop.call<{ evidence: { id: string }[] }>("POST", path, { body: raw, headers });
  const [evidence] = answered.body.evidence ?? [];
  assert.ok(evidence, answered.text);
  return { dispute: dispute.id, evidence: evidence.id };
}

/** A bank transfer with its proof. */
async function transferred({ shop, customer }: CardShop, _make: Make, text: Text) {
  const order = await addOrder(shop, {
    ...{ description: text(255), externalReference: text(100), customer: { id: customer } },
  });
  const proven = await upload(shop, order.id, {
    ...{ field: "file", name: `${text(60)}.png`, type: "image/png", bytes: pngOf(40, 30) },
  });
  const [proof] = proven.body.proofs;
  assert.ok(proof, proven.text);
  return { "eft-orders": order.id, "eft-orders/proofs": proof.id };
}

/** A mandate whose agreement waits for its signature, and a batch with another. */
async function debited({ customer }: CardShop, make: Make, text: Text) {
  const bank = { branchCode: "250655", accountNumber: "62900417701", accountHolder: text(30), name: text(60) };
  const terms = { customerId: customer, bank, amount: 350.5, debitDay: 5, description: text(500), notes: text(2000) };
  const mandate = await make("/mandates", terms);
  const agreement = await make(`/mandates/${mandate.id}/agreement`, {});
  const active = await make("/mandates", { ...terms, authority: "offline", confirmOfflineMandate: true });
  const batch = await make("/debit-batches", { actionDate: active["nextDebitDate"] });
  return { mandates: mandate.id, "mandates/agreements": agreement.id, "debit-batches": batch.id };
}

/** A bank statement of two lines, one of which was matched by hand and taught a rule. */
async function imports({ staff }: CardShop, text: Text) {
  const day = "2026-11-03";
  const run = await imported(
    staff,
    statementOf([day, text(100).replaceAll('"', ""), 155], [day, "MONTHLY FEE 8123", -57]),
    { account: text(100) },
  );
  const [item, fee] = run.items;
  assert.ok(item && fee, "the statement has two lines");
  const allocations = [{ kind: "bank_fee" }];
  const matched = await staff("POST", `/reconciliation/items/${fee.id}/match`, { allocations });
  assert.equal(matched.status, 200, matched.text);
  const rules = await staff<{ data: { id: string }[] }>("GET", "/reconciliation/rules");
  return {
    "reconciliation/runs": run.id,
    "reconciliation/items": item.id,
    "reconciliation/rules": rules.body.data[0]?.id ?? "",
  };
}

/** What developers see, and what staff write and whom they invite. */
async function developed({ api, shop, staff, customer }: CardShop, make: Make, text: Text) {
  const endpoint = await make("/webhook-endpoints", { url: `https://shop.example/hook/${"x".repeat(900)}` });
  const tested = await staff<{ id: string }>("POST", `/webhook-endpoints/${endpoint.id}/test`);
  const attempt = { at: "2026-11-20T10:00:00.000Z", statusCode: 500, durationMs: 12, error: null };
  const [delivery] = await api.query<{ id: string }>(
    `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, attempts, created_at)
     values ($1, 'whd_' || right($3, 26), $2, 'endpoint.test', $3, $3, '{}', 'parked', $4, now()) returning id`,
    ...[shop.organisation.id, tested.body.id, endpoint.id],
    JSON.stringify([{ ...attempt, responseExcerpt: text(1000) }]),
  );
  const key = await make("/api-keys", { name: text(100) });
  const email = `invited@${shop.organisation.slug}.example`;
  const member = await make("/members", { email, role: "viewer" });
  const [invitation] = await mailsOf(api.services, shop.organisation, { q: email });
  const note = await make("/notes", { subject: customer, text: text(5000) });
  const view = await make("/saved-views", { list: "invoices", name: text(40), query: "status=draft", shared: true });
  const { headers } = await shop.get("/me");
  const request = String(headers["x-request-id"]);
  await eventually(
    "the request is in the log",
    async () => (await staff("GET", `/request-log/${request}`)).status === 200,
  );
  return {
    "webhook-endpoints": endpoint.id,
    "webhook-deliveries": delivery?.id ?? "",
    "api-keys": key.id,
    members: member.id,
    invitations: /invitations\/([\w-]+)/.exec(JSON.stringify(invitation))?.[1] ?? "",
    notes: note.id,
    "request-log": request,
    "saved-views": view.id,
  };
}
