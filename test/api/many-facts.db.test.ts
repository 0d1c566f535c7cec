import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import { type DeclinedFact, type GatewayFact, internalFact, type PaidFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import { addPayment } from "../support/payments.ts";

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => api.close());

const pending = () => addPayment(api, shop.merchant, shop.account);
const severalPending = (count: number) => Promise.all(Array.from({ length: count }, pending));
const paid = (reference: string, payerEmail: string | null = null): PaidFact => ({
  ...internalFact(reference, "paid"),
  kind: "paid",
  amount: cents(10_000),
  currency: "ZAR",
  fee: null,
  payerEmail,
});

/** Applies facts as those of one notification; answers how many failed, why transactions failed, and the errors that were logged. */
async function apply(facts: readonly GatewayFact[]) {
  const { db, log } = api.services;
  const [thrown, logged]: [unknown[], unknown[]] = [[], []];
  const transaction: typeof db.transaction = (organisation, work) =>
    db.transaction(organisation, work).catch((error: unknown) => {
      thrown.push(error);
      throw error;
    });
  const error = ({ err }: { err: unknown }) => void logged.push(err);
  const services = {
    ...api.services,
    db: { ...db, transaction },
    log: Object.create(log, { error: { value: error } }),
  };
  const reportedBy = { accountId: shop.account.id, source: "notification" } as const;
  return { failed: await applyFacts(services, await shop.merchant.ctx(), reportedBy, facts), thrown, logged };
}
const NO_FAILURE = { failed: 0, thrown: [], logged: [] };

async function count(table: string, where = "true"): Promise<number> {
  const { id } = shop.merchant.organisation;
  return (await api.query(`select from ${table} where organisation_id = $1 and ${where}`, id)).length;
}
const completed = () => count("transactions", "status = 'complete'");
const entries = () => count("journal_entries", "kind = 'payment'");

test("three hundred facts of thirty payments are applied once, and a second delivery changes nothing", async () => {
  const references = await severalPending(30);
  const facts = Array.from({ length: 300 }, (_, n) => paid(references[n % 36] ?? `TEFO-20270101-${n}`));
  for (let delivery = 0; delivery < 2; delivery++) {
    assert.deepEqual(await apply(facts), NO_FAILURE);
    assert.deepEqual([await completed(), await entries()], [30, 30]);
  }
});

test("facts about payments of invoices and others, delivered twice at once in opposite orders, take locks in order", async () => {
  const before = await completed();
  const facts: PaidFact[] = [];
  for (let n = 0; n < 5; n++) {
    const { id } = await shop.owe(100);
    facts.push(paid(await shop.attempt(id, 100)), paid(await pending()));
  }
  const [one, other] = await Promise.all([apply(facts), apply(facts.toReversed())]);
  assert.deepEqual([one, other], [NO_FAILURE, NO_FAILURE]);
  assert.equal(await completed(), before + 10);
});

test("a fact that cannot be applied spoils no other, and its error is logged", async () => {
  const before = await completed();
  const references = await severalPending(20);
  const facts = references.map((reference, n) => paid(reference, n === 7 ? "nul\0@example.org" : null));
  const { failed, thrown, logged } = await apply(facts);
  assert.deepEqual([failed, await completed()], [1, before + 19]);
  assert.match(String(logged), /invalid byte sequence/);
  assert.deepEqual(logged, thrown);
});

/** A report about the payment of this reference, under the gateway's id of an attempt, if any. */
type Report = (reference: string) => GatewayFact;
const paidAs =
  (attempt: string | null): Report =>
  (reference) => ({ ...paid(reference), providerRef: attempt && `${attempt} ${reference}` });
const returnedAs =
  (attempt: string | null): Report =>
  (reference): DeclinedFact => ({
    ...internalFact(reference, "returned"),
    ...{ providerRef: attempt && `${attempt} ${reference}`, kind: "declined", amount: cents(10_000), currency: "ZAR" },
    ...{ reason: "Not provided for.", hard: false, takesBack: { code: "02" } },
  });
const withoutReference =
  (report: Report): Report =>
  (reference) => ({ ...report(reference), reference: null });

const RETURNS: Readonly<Record<string, { reports: readonly Report[]; reversed: readonly number[] }>> = {
  "the id under which it was paid, twice": {
    reports: [paidAs("first"), returnedAs("first"), returnedAs("first")],
    reversed: [100],
  },
  "only that id, twice": {
    reports: [paidAs("first"), withoutReference(returnedAs("first")), withoutReference(returnedAs("first"))],
    reversed: [100],
  },
  "no id": { reports: [paidAs("first"), returnedAs(null)], reversed: [100] },
  "no id, of a payment without one": { reports: [paidAs(null), returnedAs(null)], reversed: [100] },
  "another id": { reports: [paidAs("first"), returnedAs("second")], reversed: [] },
  "an id, of a payment without one": { reports: [paidAs(null), returnedAs("second")], reversed: [] },
  "the id of an attempt that was declined before": {
    reports: [returnedAs("first"), paidAs(null), returnedAs("first")],
    reversed: [],
  },
};
for (const [what, { reports, reversed }] of Object.entries(RETURNS))
  test(`a return with ${what} reverses a complete payment ${reversed.length === 1 ? "once" : "never"}`, async () => {
    const reference = await pending();
    for (const report of reports) assert.deepEqual(await apply([report(reference)]), NO_FAILURE);
    const { body } = await shop.merchant.get(`/transactions/${reference}`);
    const reversals = (body["reversals"] ?? []) as { amount: number }[];
    assert.deepEqual([body["status"], reversals.map(({ amount }) => amount)], ["complete", reversed]);
  });
