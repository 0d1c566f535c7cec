import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { openCardShop } from "../support/cards.ts";
import { endSale, openSaleShop, salePath, startSale } from "../support/checkout.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { debitReference, gathered } from "../support/debit-batches.ts";
import { openInvoicing } from "../support/invoices.ts";
import { addActiveMandate } from "../support/mandates.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment, reportedReversal } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 2.14, 4.15, 14.2 and 18.4: products and plans that are exempt from VAT. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

type Priced = Record<string, unknown>;
const vatOf = (of: Priced | undefined) => ["taxRate", "taxExempt"].map((name) => of?.[name]);
/** Changes of a price one after the other, and what it says then; null: it is refused. The organisation's rate is 15. */
const CHANGES: readonly (readonly [change: object, shown: readonly unknown[] | null])[] = [
  [{ taxExempt: true }, [0, true]],
  [{ name: "Other" }, [0, true]],
  [{ taxInclusive: true }, [0, true]],
  [{ taxRate: 0 }, [0, true]],
  [{ taxExempt: true, taxRate: 15 }, null],
  [{ taxExempt: false }, [0, undefined]],
  [{ taxExempt: true, taxRate: 0 }, [0, true]],
  [{ taxRate: 15 }, [15, undefined]],
  [{ taxExempt: null }, null],
];

/** Fields 2 and 3 of the return of a month, on each basis, in rand; what has no mark is called exempt too on request. */
async function untaxed(staff: StaffCall, month: string, basis: string, query = "") {
  const path = `/accounting/vat201/${month}?basis=${basis}${query}`;
  const { body } = await staff<{ figures: { field: string; amount: number }[] }>("GET", path);
  return ["2", "3"].map((field) => body.figures.find((one) => one.field === field)?.amount);
}

test("products: the mark is there when it is true; a change of the rate takes it off", async () => {
  const shop = await api.addMerchant({});
  const staff = await shop.signIn("owner");
  const create = (fields: object) =>
    staff<Priced & Refusal>("POST", "/products", { name: "Rent", amount: 100, ...fields });
  assert.deepEqual(vatOf((await create({})).body), [15, undefined]);
  assert.deepEqual(vatOf((await create({ taxExempt: true })).body), [0, true]);
  assert.deepEqual(vatOf((await create({ taxExempt: false })).body), [15, undefined]);
  const refused = await create({ taxExempt: true, taxRate: 15 });
  assert.deepEqual([refused.status, refused.body.error, issuePaths(refused)], [400, "invalid_request", ["taxExempt"]]);
  const { body: product } = await create({ taxRate: 15 });
  assert.equal("taxExempt" in product, false);
  for (const [change, shown] of CHANGES) {
    const answer = await staff<Priced & Refusal>("PATCH", `/products/${product["id"]}`, change);
    if (shown) assert.deepEqual(vatOf(answer.body), shown, JSON.stringify(change));
    else assert.deepEqual([answer.status, issuePaths(answer)], [400, ["taxExempt"]], JSON.stringify(change));
  }
});

test("plans: as products, and what changes the mark is a new version", async () => {
  const { shop, staff, packageId } = await openSubscriptionShop(api);
  const plan = { name: "Gold", amount: 100, frequency: "monthly" };
  const path = `/packages/${packageId}/plans`;
  assert.deepEqual(vatOf((await shop.post<Priced>(path, { ...plan, taxExempt: true })).body), [0, true]);
  const refused = await shop.post<Refusal>(path, { ...plan, taxExempt: true, taxRate: 15 });
  assert.deepEqual([refused.status, issuePaths(refused)], [400, ["taxExempt"]]);
  const { body: made } = await shop.post<Priced>(path, { ...plan, taxRate: 0 });
  assert.equal("taxExempt" in made, false);
  const versions: unknown[] = [];
  for (const [change, shown] of CHANGES) {
    const answer = await staff<Priced & Refusal>("PATCH", `${path}/${made["id"]}`, change);
    if (shown) assert.deepEqual(vatOf(answer.body), shown, JSON.stringify(change));
    else assert.deepEqual([answer.status, issuePaths(answer)], [400, ["taxExempt"]], JSON.stringify(change));
    if (shown) versions.push(answer.body["version"]);
  }
  assert.deepEqual(versions, [2, 2, 3, 3, 4, 5, 6], "a version for each other price");
});

test("bills of a subscription: previews, invoices and the return have the plan's mark, also after a change", async () => {
  const stage = await openSubscriptionShop(api);
  const [exempt, taxed] = [await stage.addPlan({ taxRate: 0, taxExempt: true }), await stage.addPlan({ amount: 300 })];
  const items = [{ kind: "addon", description: "Room", unitAmount: 10, quantity: 1 }];
  const body = { customer: { id: stage.customer }, collectionMethod: "invoice", planId: exempt, items };
  type Lines = { lines: Priced[] };
  const dry = await stage.shop.post<{ preview: { invoice: Lines; nextInvoice: Lines } }>("/customer-subscriptions", {
    ...body,
    dryRun: true,
  });
  for (const { lines } of [dry.body.preview.invoice, dry.body.preview.nextInvoice])
    assert.deepEqual(
      lines.map(({ taxExempt }) => taxExempt),
      [true, true],
    );
  const subscription = await stage.subscribe(body);
  const linesOf = async () =>
    (await stage.invoices(subscription.id)).toReversed().map((one) => (one["lines"] as Priced[]).map(vatOf));
  assert.deepEqual(await linesOf(), [
    [
      [0, true],
      [0, true],
    ],
  ]);
  await stage.move("2027-02-28");
  const asked = { planId: taxed, proration: "now" };
  const path = `/customer-subscriptions/${subscription.id}/preview-change`;
  const { nextInvoice } = (await stage.shop.post<{ nextInvoice: Lines }>(path, asked)).body;
  assert.equal(
    nextInvoice.lines.some((line) => "taxExempt" in line),
    false,
  );
  await stage.move("2027-03-10");
  const changed = await stage.act(subscription.id, "change-plan", asked);
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await stage.move("2027-04-01");
  const all = (await linesOf()).flat();
  assert.deepEqual(
    all.slice(2, 4),
    [
      [0, true],
      [0, true],
    ],
    "the second month",
  );
  assert.ok(
    all.slice(4).every(([rate, mark]) => rate === 15 && mark === undefined),
    JSON.stringify(all),
  );
  const back = await stage.act(subscription.id, "change-plan", { planId: exempt, proration: "now" });
  assert.equal(back.status, 200, JSON.stringify(back.body));
  await stage.move("2027-07-01");
  assert.deepEqual((await linesOf()).at(-1), [
    [0, true],
    [0, true],
  ]);
  assert.deepEqual(await untaxed(stage.staff, "2027-02", "invoice", "&months=2"), [0, 220]);
});

test("a payment of a product without an invoice keeps the product's mark, whatever comes of the product", async () => {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("admin");
  const exempt = await staff<{ id: string }>("POST", "/products", { name: "Rent", amount: 50, taxExempt: true });
  const asked = { title: "Rent", amount: 50, productId: exempt.body.id };
  const { body: link } = await shop.merchant.post("/payment-links", asked);
  const pay = async (linkId: string | null, rand: number) => {
    const reference = await addPayment(api, shop.merchant, shop.account, { linkId, cents: rand * 100 });
    await shop.complete(reference, rand);
    return reference;
  };
  const reference = await pay(String(link["id"]), 50);
  await pay(null, 7);
  await staff("PATCH", `/products/${exempt.body.id}`, { taxRate: 15 });
  const march = (basis: string, query?: string) => untaxed(staff, "2027-03", basis, query);
  for (const basis of ["invoice", "payments"]) {
    assert.deepEqual(await march(basis), [7, 50], basis);
    assert.deepEqual(await march(basis, "&untaxed=exempt"), [0, 57], basis);
  }
  const refund = await staff("POST", `/transactions/${reference}/refunds`, { amount: 20, method: "manual" });
  assert.equal(refund.status, 201, refund.text);
  for (const basis of ["invoice", "payments"]) assert.deepEqual(await march(basis), [7, 30], basis);
  await notify(api, shop.account, { reversal: reportedReversal(reference, { amount: 3_000 }) });
  for (const basis of ["invoice", "payments"]) assert.deepEqual(await march(basis), [7, 0], basis);
});

test("a second payment of a single-use link is overpaid, and no exempt supply", async () => {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("admin");
  const { body: product } = await staff("POST", "/products", { name: "Rent", amount: 50, taxExempt: true });
  const asked = { title: "Rent", amount: 50, productId: product["id"], singleUse: true };
  const { body: link } = await shop.merchant.post("/payment-links", asked);
  const references = [];
  for (const _ of [1, 2])
    references.push(await addPayment(api, shop.merchant, shop.account, { linkId: String(link["id"]), cents: 5_000 }));
  for (const reference of references) await shop.complete(reference, 50);
  for (const basis of ["invoice", "payments"]) assert.deepEqual(await untaxed(staff, "2027-03", basis), [0, 50]);
});

test("a product that is bought on the checkout keeps the mark that it had when the payment began", async () => {
  const { stage, addProduct } = await openSaleShop(api);
  const product = await addProduct({ taxExempt: true });
  const begun = await startSale(stage, salePath(stage, "product", product));
  await stage.staff("PATCH", `/products/${product}`, { taxExempt: false });
  await endSale(stage, begun, "complete");
  for (const basis of ["invoice", "payments"])
    assert.deepEqual(await untaxed(stage.staff, "2027-03", basis), [0, 100], basis);
});

test("a plan that is bought on the checkout: the lines of its invoice have its mark", async () => {
  const { stage, addPlan, packagePage } = await openSaleShop(api);
  const plan = await addPlan({ taxExempt: true });
  await endSale(stage, await startSale(stage, packagePage, { plan }), "complete");
  assert.deepEqual(await untaxed(stage.staff, "2027-03", "payments"), [0, 100]);
});

test("a debit of a product without an invoice keeps the product's mark", async () => {
  const shop = await openCardShop(api, {}, { credentials: CREDENTIALS });
  const product = await shop.staff("POST", "/products", { name: "Rent", amount: 350.5, taxExempt: true });
  const mandate = await addActiveMandate(shop, { debitDay: 5, productId: product.body["id"] });
  await gathered(shop, "2027-03-05");
  const reference = debitReference(mandate, "20270305");
  await notify(api, shop.account, { payment: reportedPayment(reference, "complete", { amount: 35_050 }) });
  assert.deepEqual(await untaxed(shop.staff, "2027-03", "payments"), [0, 350.5]);
});
