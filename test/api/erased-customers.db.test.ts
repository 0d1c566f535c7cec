import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { addTransfers } from "../support/eft.ts";
import { mandateBody } from "../support/mandates.ts";
import { imported, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 18.7: nothing new is made for a customer who was erased. */

const LINES = [{ description: "Painting", quantity: 1, unitPrice: 100 }];

interface Prepared extends SubscriptionShop {
  readonly planId: string;
  /** Of the customer, made before they were erased. */
  readonly subscriptions: readonly string[];
  readonly quotes: Readonly<Record<"draft" | "sent", string>>;
  readonly invoice: string;
  /** A draft of another customer. */
  readonly draft: string;
  readonly bankLine: string;
}

/** What takes a customer, and is refused for one who was erased: the body that names them. */
const REFUSED: Readonly<Record<string, (shop: Prepared) => { path?: string; body?: unknown }>> = {
  "POST /invoices": ({ customer }) => ({ body: { customerId: customer, lines: LINES } }),
  "PATCH /invoices/{id}": ({ customer, draft }) => ({ path: `/invoices/${draft}`, body: { customerId: customer } }),
  "POST /invoices/{id}/duplicate": ({ invoice }) => ({ path: `/invoices/${invoice}/duplicate` }),
  "POST /invoices/preview": ({ customer }) => ({ body: { customerId: customer, lines: LINES } }),
  "POST /invoices/{id}/preview": ({ customer, draft }) => ({
    path: `/invoices/${draft}/preview`,
    body: { customerId: customer },
  }),
  "POST /quotes/preview": ({ customer }) => ({ body: { customerId: customer, lineItems: LINES } }),
  "POST /quotes/{id}/preview": ({ quotes }) => ({ path: `/quotes/${quotes.draft}/preview`, body: { notes: "Soon" } }),
  "POST /quotes": ({ customer }) => ({ body: { customerId: customer, lineItems: LINES } }),
  "PATCH /quotes/{id}": ({ quotes }) => ({ path: `/quotes/${quotes.draft}`, body: { notes: "Soon" } }),
  "POST /quotes/{id}/send": ({ quotes }) => ({ path: `/quotes/${quotes.draft}/send` }),
  "POST /quotes/{id}/accept": ({ quotes }) => ({ path: `/quotes/${quotes.sent}/accept` }),
  "POST /quotes/{id}/convert": ({ quotes }) => ({ path: `/quotes/${quotes.sent}/convert` }),
  "POST /credit-notes": ({ customer }) => ({ body: { customerId: customer, amount: 5, reason: "Goodwill" } }),
  "POST /payment-links": ({ customer }) => ({ body: { customerId: customer, title: "Deposit", amount: 10 } }),
  "POST /eft-orders": ({ customer }) => ({ body: { customer: { id: customer }, amount: 10 } }),
  "POST /mandates": (shop) => ({ body: mandateBody(shop) }),
  "POST /customer-subscriptions": ({ customer, planId }) => ({
    body: { customer: { id: customer }, planId, collectionMethod: "invoice" },
  }),
  "POST /customer-subscriptions (external)": ({ customer, planId }) => ({
    path: "/customer-subscriptions",
    body: {
      customer: { id: customer },
      planId,
      collectionMethod: "external",
      externalReference: "P9",
      paidThrough: "2027-02-15",
    },
  }),
  "POST /customer-subscriptions/{id}/reactivate": ({ subscriptions: [id] }) => ({
    path: `/customer-subscriptions/${id}/reactivate`,
    body: {},
  }),
  "POST /customer-subscriptions/{id}/reactivate (external)": ({ subscriptions: [, id] }) => ({
    path: `/customer-subscriptions/${id}/reactivate`,
    body: {},
  }),
  "POST /customers/{id}/cards/setup": ({ customer }) => ({ path: `/customers/${customer}/cards/setup`, body: {} }),
  "POST /customers/{id}/portal-link": ({ customer }) => ({
    path: `/customers/${customer}/portal-link`,
    body: { email: false },
  }),
  "PATCH /customers/{id}": ({ customer }) => ({ path: `/customers/${customer}`, body: { active: true } }),
  "POST /reconciliation/items/{id}/match": ({ customer, bankLine }) => ({
    path: `/reconciliation/items/${bankLine}/match`,
    body: { allocations: [{ kind: "customer_credit", customerId: customer }] },
  }),
};

/** Endpoints that take a customer, or details to find one by, and create nothing new for them; each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  "POST /checkout-sessions": "who checks out is entered there; an erased customer has no address to be found by",
  "POST /customers/{id}/erase": "answers as it was",
  "DELETE /customers/{id}": "the erasure is a record, so the customer stays",
  "POST /customers/{id}/credit-refunds": "what is theirs is given back",
  "DELETE /customers/{id}/cards/{cardId}": "their cards are removed",
  "POST /customers/{id}/cards/{cardId}/default": "their cards are removed",
  "POST /customers/{id}/cards/{cardId}/charges": "their cards are removed",
  "POST /sandbox/outcomes": "names whose attempts a script is for; an erased customer makes none",
};

describe("a customer who was erased", () => {
  let api: TestApi;
  let shop: Prepared;
  before(async () => {
    api = await openApi();
    shop = await prepared(api);
  });
  after(() => closeVerified(api));

  const ask = (name: string): Promise<Answer<Refusal>> => {
    const [method = "", own = ""] = name.split(" ");
    const { path = own, body } = REFUSED[name]?.(shop) ?? {};
    return shop.staff<Refusal>(method, path, body);
  };

  for (const name of Object.keys(REFUSED))
    test(`is refused: ${name}`, async () => {
      const { status, body, text } = await ask(name);
      assert.deepEqual([status, body.error], [409, "invalid_state"], text);
      assert.match(body.message, /^The customer was erased, .* Create a new one\.$/);
    });

  test("is refused in a file of subscriptions, row by row", async () => {
    const { shop: merchant, customer, planId } = shop;
    const form = new FormData();
    const rows = `customer.id,planId,externalReference,paidThrough\n${customer},${planId},P10,2027-02-15\n`;
    form.set("file", new Blob([rows]), "rows.csv");
    form.set("dryRun", "true");
    const sent = new Response(form);
    const { body } = await shop.staff<{ rows: { action: string; error: string | null }[] }>(
      "POST",
      "/customer-subscriptions/imports",
      Buffer.from(await sent.arrayBuffer()),
      { "content-type": String(sent.headers.get("content-type")) },
    );
    assert.deepEqual(
      body.rows.map(({ action, error }) => [action, error]),
      [["error", "invalid_state"]],
      merchant.organisation.id,
    );
  });

  test("keeps what corrects and gives back: an invoice is corrected, a quote declined and deleted", async () => {
    const { staff, invoice, quotes } = shop;
    const corrected = await staff("POST", "/credit-notes", { invoiceId: invoice, amount: 5, reason: "Wrong price" });
    assert.equal(corrected.status, 201, corrected.text);
    assert.equal((await staff("POST", `/quotes/${quotes.sent}/decline`)).status, 200);
    assert.equal((await staff("DELETE", `/quotes/${quotes.draft}`)).status, 200);
  });

  test("is known by each endpoint that takes a customer", async () => {
    const { paths, components } = JSON.parse(await readFile("openapi-dashboard.json", "utf8")) as {
      paths: Record<string, Record<string, object>>;
      components: { schemas: Record<string, object> };
    };
    /** A part of the description with the schemas that it names. */
    const whole = (part: unknown, above: readonly string[] = []): string =>
      JSON.stringify(part ?? null).replaceAll(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (_, name: string) =>
        above.includes(name) ? "{}" : whole(components.schemas[name], [...above, name]),
      );
    const taking = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { requestBody }]: [string, { requestBody?: unknown }]) => {
          if (method === "get" || method === "parameters") return false;
          return path.startsWith("/customers/{id}") || NAMES.test(whole(requestBody));
        })
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      taking.filter((name) => !(name in REFUSED) && !(name in OTHERS)),
      [],
      "give each a body in REFUSED, which asks for something new of an erased customer, or list it in OTHERS with what it does with one",
    );
    assert.ok(taking.length > 12);
  });
});

/** Fields of bodies that name a customer. */
const NAMES = /"(customer|customerId|customerExternalReference)":/;

async function prepared(api: TestApi): Promise<Prepared> {
  const shop = await openSubscriptionShop(api);
  const { shop: merchant, staff, customer, addPlan } = shop;
  await merchant.addGateway();
  await addTransfers(merchant);
  const planId = await addPlan();
  const made = async (path: string, body: object) => {
    const answer = await merchant.post<{ id: string; total: number }>(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const quote = async (send: boolean) => (await made("/quotes", { customerId: customer, lineItems: LINES, send })).id;
  const quotes = { draft: await quote(false), sent: await quote(true) };
  const external = { collectionMethod: "external", externalReference: "P1", paidThrough: "2027-02-15" };
  const subscriptions = [
    (await shop.subscribe({ planId, trialDays: 30 })).id,
    (await made("/customer-subscriptions", { customer: { id: customer }, planId, ...external })).id,
  ].map(String);
  for (const id of subscriptions) assert.equal((await shop.act(id, "cancel", { atPeriodEnd: false })).status, 200);
  const invoice = await made("/invoices", { customerId: customer, lines: LINES, send: true });
  await made(`/invoices/${invoice.id}/payments`, { amount: invoice.total, method: "eft" });
  const someone = (await made("/customers", { email: "someone@example.co.za" })).id;
  const draft = (await made("/invoices", { customerId: someone, lines: LINES })).id;
  const { items } = await imported(staff, statementOf(["2027-01-30", "DEPOSIT", 50]));
  const erased = await staff("POST", `/customers/${customer}/erase`);
  assert.equal(erased.status, 200, erased.text);
  return { ...shop, planId, subscriptions, quotes, invoice: invoice.id, draft, bankLine: String(items[0]?.id) };
}
