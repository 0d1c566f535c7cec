import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLIENT_ENDPOINTS } from "../../src/catalogue.ts";
import { expandsOf } from "../../src/http/endpoint.ts";
import { expandableNames, expandedBody, expansionsOf } from "../../src/http/expand/expand.ts";
import { INVOICE, TRANSACTION } from "../../src/http/expand/records.ts";
import type { Tx } from "../../src/platform/database.ts";
import { openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choiceOf, choose, type Shown, VISA } from "../support/cards.ts";
import { endSale, newestSession, openSaleShop, startSale } from "../support/checkout.ts";
import { addOrder, addTransfers } from "../support/eft.ts";

/* Interface 4.1, `expand`: whole records in place of ids, on reads of one record and on lists. */

let api: TestApi;
let stage: CardShop;
let ids: Ids;
before(async () => {
  api = await openApi();
  ids = await addRecords();
});
after(() => api.close());

type Ids = Readonly<
  Record<
    "customer" | "session" | "subscription" | "first" | "invoice" | "payment" | "link" | "note" | "quote" | "plan",
    string
  >
> &
  Readonly<
    Record<"debited" | "mandate" | "order" | "orderPayment" | "dispute" | "disputed" | "disputedInvoice", string>
  >;

const made = async (path: string, body: object): Promise<Shown> => {
  const answer = await stage.shop.post(path, body);
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body;
};
const idOf = (record: unknown): string => String((record as Shown | undefined)?.["id"]);

/** An invoice that was paid by its link. */
async function paidInvoice() {
  const lines = [{ description: "Books", quantity: 1, unitPrice: 100 }];
  const issued = await made("/invoices", { customerId: stage.customer, lines, send: true });
  const { reference, gatewayUrl } = await begin(stage, String(issued["payUrl"]));
  await choose(stage, gatewayUrl, choiceOf(VISA));
  return { id: idOf(issued), reference };
}

/** Records of a shop that are related to one another in every way that can be expanded. */
async function addRecords(): Promise<Ids> {
  const sale = await openSaleShop(api);
  stage = sale.stage;
  const { customer } = stage;
  const plan = await sale.addPlan();
  await endSale(stage, await startSale(stage, sale.packagePage), "complete");
  const session = await newestSession(stage);
  const bought = await stage.shop.get(`/customer-subscriptions/${session["subscriptionId"]}`);
  const [paid, disputed] = [await paidInvoice(), await paidInvoice()];
  const told = await stage.staff("POST", "/sandbox/notify", { reference: disputed.reference, status: "disputed" });
  assert.equal(told.status, 200, told.text);
  const disputes = await stage.shop.get<{ data: Shown[] }>("/disputes");
  const note = await made("/credit-notes", { invoiceId: paid.id, amount: 5, reason: "Late" });
  const quote = await made("/quotes", {
    customerId: customer,
    lineItems: [{ description: "x", quantity: 1, unitPrice: 9 }],
  });
  await made(`/quotes/${idOf(quote)}/convert`, {});
  const debited = await made("/customer-subscriptions", {
    ...{ customer: { id: customer }, planId: plan, collectionMethod: "debit_order" },
  });
  const mandate = await made("/mandates", {
    bank: { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Dlamini", name: "FNB" },
    ...{ customerId: customer, subscriptionId: idOf(debited), amount: 100, debitDay: 5, description: "Books" },
  });
  await addTransfers(stage.shop);
  const order = await addOrder(stage.shop, { customer: { id: customer } });
  return {
    ...{ customer, plan, session: idOf(session), subscription: idOf(bought.body) },
    ...{ first: idOf(bought.body["lastInvoice"]), invoice: paid.id, payment: paid.reference },
    link: String((await stage.shop.get(`/transactions/${paid.reference}`)).body["paymentLinkId"]),
    ...{ note: idOf(note), quote: idOf(quote), debited: idOf(debited), mandate: idOf(mandate) },
    ...{ order: order.id, orderPayment: order.reference, dispute: idOf(disputes.body.data[0]) },
    ...{ disputed: disputed.reference, disputedInvoice: disputed.id },
  };
}

type Named = keyof Ids;
/** List, record, relation, and the path of what stands in its place. */
const RELATIONS: readonly (readonly [string, Named, string, string, Named])[] = [
  ["/invoices", "invoice", "customer", "/customers", "customer"],
  ["/invoices", "first", "subscription", "/customer-subscriptions", "subscription"],
  ["/transactions", "payment", "customer", "/customers", "customer"],
  ["/transactions", "payment", "invoice", "/invoices", "invoice"],
  ["/transactions", "payment", "paymentLink", "/payment-links", "link"],
  ["/payment-links", "link", "customer", "/customers", "customer"],
  ["/payment-links", "link", "invoice", "/invoices", "invoice"],
  ["/credit-notes", "note", "customer", "/customers", "customer"],
  ["/credit-notes", "note", "invoice", "/invoices", "invoice"],
  ["/quotes", "quote", "customer", "/customers", "customer"],
  ["/customer-subscriptions", "debited", "customer", "/customers", "customer"],
  ["/customer-subscriptions", "debited", "mandate", "/mandates", "mandate"],
  ["/customer-subscriptions", "subscription", "lastInvoice", "/invoices", "first"],
  ["/mandates", "mandate", "customer", "/customers", "customer"],
  ["/mandates", "mandate", "subscription", "/customer-subscriptions", "debited"],
  ["/eft-orders", "order", "customer", "/customers", "customer"],
  ["/eft-orders", "order", "transaction", "/transactions", "orderPayment"],
  ["/disputes", "dispute", "customer", "/customers", "customer"],
  ["/disputes", "dispute", "invoice", "/invoices", "disputedInvoice"],
  ["/disputes", "dispute", "transaction", "/transactions", "disputed"],
  ["/checkout-sessions", "session", "subscription", "/customer-subscriptions", "subscription"],
];

const keyOf = (record: Shown): unknown => record["id"] ?? record["reference"];

describe("a relation shows the whole record, as its own endpoint does", () => {
  for (const [list, from, relation, path, to] of RELATIONS)
    test(`${list}: ${relation}`, async () => {
      for (const ask of [(at: string) => stage.shop.get(at), (at: string) => stage.staff("GET", at)]) {
        const whole = (await ask(`${path}/${ids[to]}`)).body;
        const plain = (await ask(`${list}/${ids[from]}`)).body;
        const answer = await ask(`${list}/${ids[from]}?expand=${relation}`);
        assert.equal(answer.status, 200, answer.text);
        const short = plain[relation] as object | undefined;
        assert.deepEqual(answer.body, { ...plain, [relation]: { ...short, ...whole } });
        const { data } = (await ask(`${list}?limit=100&expand=${relation}`)).body as { data: Shown[] };
        const same = data.find((record) => keyOf(record) === keyOf(plain));
        // A link read alone has more payments than in a list.
        assert.deepEqual(same?.[relation], answer.body[relation]);
      }
    });

  test("every relation that is declared is in this table, or below", () => {
    const elsewhere = [
      ...["/invoices transactions", "/quotes invoice", "/customer-subscriptions plan", "/credit-notes transaction"],
      ...["/checkout-sessions plan", "/checkout-sessions customer", "/checkout-sessions transaction"],
    ];
    const tested = new Set([...RELATIONS.map(([list, , relation]) => `${list} ${relation}`), ...elsewhere]);
    const declared = CLIENT_ENDPOINTS.filter(({ path }) => !path.includes("{")).flatMap((endpoint) =>
      Object.keys(expandsOf(endpoint)?.relations ?? {}).map((relation) => `${endpoint.path} ${relation}`),
    );
    assert.deepEqual(
      declared.filter((one) => !tested.has(one)),
      [],
    );
    assert.equal(new Set(declared).size, tested.size);
  });

  test("a short object keeps what only it has", async () => {
    const subscription = (await stage.shop.get(`/customer-subscriptions/${ids.debited}?expand=plan`)).body;
    const shown = subscription["plan"] as Shown;
    assert.ok(shown["packageName"] && shown["frequency"], JSON.stringify(shown));
    const quote = (await stage.shop.get(`/quotes/${ids.quote}?expand=invoice`)).body["invoice"] as Shown;
    assert.deepEqual(quote, (await stage.shop.get(`/invoices/${quote["id"]}`)).body);
    const payment = (await stage.shop.get(`/transactions/${ids.payment}?expand=invoice`)).body["invoice"] as Shown;
    assert.deepEqual([payment["invoiceNumber"], payment["total"]], [payment["number"], 115]);
    const session = (await stage.shop.get(`/checkout-sessions/${ids.session}?expand=transaction,plan,customer`)).body;
    const paid = session["transaction"] as Shown;
    assert.deepEqual(
      [paid["discountAmount"], paid["type"] !== undefined, idOf(session["plan"])],
      [0, true, String(session["planId"])],
    );
    assert.equal(session["customerId"] === null ? null : idOf(session["customer"]), session["customerId"]);
  });

  test("an invoice's payments stand in a list", async () => {
    const { body } = await stage.shop.get(`/invoices/${ids.invoice}?expand=transactions`);
    assert.deepEqual(body["transactions"], [(await stage.shop.get(`/transactions/${ids.payment}`)).body]);
    const draft = await made("/invoices", {
      customerId: ids.customer,
      lines: [{ description: "x", quantity: 1, unitPrice: 1 }],
    });
    const unpaid = await stage.shop.get(`/invoices/${idOf(draft)}?expand=transactions,subscription`);
    assert.deepEqual([unpaid.body["transactions"], unpaid.body["subscription"]], [[], null]);
  });

  test("null stays null", async () => {
    const link = await made("/payment-links", { title: "Anybody", amount: 5 });
    const { body } = await stage.shop.get(`/payment-links/${idOf(link)}?expand=customer,invoice`);
    assert.deepEqual([body["customer"], body["invoice"]], [null, null]);
    const note = (await stage.shop.get(`/credit-notes/${ids.note}?expand=transaction`)).body;
    assert.deepEqual([note["transactionReference"], note["transaction"]], [null, null]);
    const order = await addOrder(stage.shop);
    assert.equal((await stage.shop.get(`/eft-orders/${order.id}?expand=customer`)).body["customer"], null);
  });
});

describe("several relations", () => {
  const dispute = (query: string) => stage.shop.get<Shown>(`/disputes/${ids.dispute}?${query}`);

  test("separated by commas, or repeated, two levels deep", async () => {
    const commas = await dispute("expand=transaction.customer,%20transaction.invoice,invoice");
    assert.equal(commas.status, 200, commas.text);
    const { transaction, invoice } = commas.body as {
      transaction: Record<string, Shown>;
      invoice: { customer: Shown };
    };
    assert.ok(transaction["customer"]?.["accountCode"]);
    assert.equal(transaction["invoice"]?.["total"], 115);
    assert.equal(invoice.customer["accountCode"], undefined);
    const repeated = await dispute("expand=transaction.customer&expand=invoice&expand=transaction.invoice");
    assert.deepEqual(repeated.body, commas.body);
    assert.deepEqual((await dispute("expand=")).body, (await dispute("")).body);
  });

  test("lists within a subscription expand too", async () => {
    const path = `/customer-subscriptions/${ids.subscription}`;
    const invoices = await stage.shop.get<{ data: Shown[] }>(`${path}/invoices?expand=customer`);
    const payments = await stage.shop.get<{ data: Shown[] }>(`${path}/payments?expand=customer,invoice.customer`);
    for (const { text } of [invoices, payments]) assert.match(text, /"accountCode"/);
  });

  for (const [asked, message] of [
    ["custmer", /^Unknown relation custmer\. Did you mean customer\?/],
    ["constructor", /Unknown relation constructor\. expand takes customer, subscription, transactions, /],
    ["customer.id", /Unknown relation customer\.id/],
    ["transactions.paymentLink.customer", /expand goes 2 levels deep at most, not transactions\.paymentLink\.customer/],
  ] as const)
    test(`400 for ${asked}`, async () => {
      for (const path of ["/invoices", `/invoices/${ids.invoice}`]) {
        const answer = await stage.shop.get<Refusal>(`${path}?expand=customer,${asked}`);
        assert.deepEqual(refusal(answer), [400, "invalid_request"]);
        assert.deepEqual(answer.body.issues?.[0]?.path, ["expand"]);
        assert.match(answer.body.message, message);
      }
    });

  test("400 where there is nothing to expand", async () => {
    const answer = await stage.shop.get<Refusal>("/customers?expand=customer");
    assert.deepEqual(refusal(answer), [400, "invalid_request"]);
  });
});

describe("who may not read a record does not see it by another", () => {
  test("a key needs the scope of what it expands, at each level", async () => {
    const { key } = await stage.shop.addKey([], { scopes: ["transactions:read", "invoices:read"] });
    const ask = (expand: string) => stage.shop.get<Refusal>(`/transactions/${ids.payment}?expand=${expand}`, { key });
    assert.equal((await ask("invoice")).status, 200);
    for (const [expand, scope] of [
      ["customer", "customers:read"],
      ["invoice.customer", "customers:read"],
      ["paymentLink", "payment_links:read"],
      ["invoice.subscription", "subscriptions:read"],
    ] as const) {
      const answer = await ask(expand);
      assert.deepEqual(refusal(answer), [403, "permission_required"]);
      assert.ok(answer.body.message.includes(scope), answer.body.message);
    }
  });

  test("the plan's feature is needed too", async () => {
    const shop = await api.addMerchant({ plan: "starter" });
    const asked = await shop.get<Refusal>("/transactions?expand=invoice");
    const direct = await shop.get<Refusal>("/invoices");
    assert.deepEqual([asked.status, asked.body.message], [direct.status, direct.body.message]);
  });

  test("nothing of another organisation is found by its ids", async () => {
    const other = await api.addMerchant();
    const ctx = await other.ctx();
    const stolen = { id: ids.invoice, reference: ids.payment, customer: { id: ids.customer }, paymentLinkId: ids.link };
    const expandedOf = (kind: typeof INVOICE, record: Shown) =>
      api.services.db.read(other.organisation.id, (tx) =>
        expandedBody(tx, ctx, record, expansionsOf(kind, expandableNames(kind).join(","))),
      );
    assert.deepEqual(await expandedOf(INVOICE, stolen), { ...stolen, subscription: null, transactions: [] });
    const { customer: _customer, ...payment } = { ...stolen, invoice: { id: ids.invoice } };
    assert.deepEqual(await expandedOf(TRANSACTION, payment), { ...payment, customer: null, paymentLink: null });
  });
});

test("a list costs the same number of statements, however long it is", async () => {
  const expansions = expansionsOf(TRANSACTION, ["customer,invoice.customer,invoice.subscription,paymentLink.customer"]);
  const ctx = await stage.shop.ctx();
  const counted = async (body: unknown): Promise<number> => {
    let statements = 0;
    await api.services.db.read(stage.shop.organisation.id, async (tx) => {
      const counting = new Proxy(tx, {
        get(target, name) {
          if (name === "sql") statements += 1;
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      return expandedBody(counting as Tx, ctx, body, expansions);
    });
    return statements;
  };
  for (let more = 0; more < 5; more++) await paidInvoice();
  const { body } = await stage.shop.get<{ data: Shown[] }>("/transactions?limit=100&status=complete");
  const two = body.data.filter(
    ({ reference, invoice }) => reference === ids.payment || (invoice as Shown | null)?.["id"] === ids.first,
  );
  assert.deepEqual([two.length, body.data.length >= two.length + 5], [2, true]);
  const [few, all] = [await counted({ data: two }), await counted({ data: body.data })];
  assert.equal(all, few);
  assert.ok(few <= 12, `${few} statements for 7 relations`);
});
