import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import type { Services } from "../../src/flows/services.ts";
import { type GatewayFact, internalFact, type PaidFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import { addPayment, CREDENTIALS } from "../support/payments.ts";

let api: TestApi;
let shop: ApiMerchant;
let account: GatewayAccount;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  account = await shop.addGateway({ credentials: CREDENTIALS });
});
after(() => api.close());

/** The services with a counter of the transactions that they begin. */
function counting(): { services: Services; begun(): number } {
  let begun = 0;
  const { db } = api.services;
  const transaction: typeof db.transaction = (organisation, work) => {
    begun++;
    return db.transaction(organisation, work);
  };
  return { services: { ...api.services, db: { ...db, transaction } }, begun: () => begun };
}

const paid = (reference: string, payerEmail: string | null = null): PaidFact => ({
  ...internalFact(reference, "paid"),
  kind: "paid",
  amount: cents(10_000),
  currency: "ZAR",
  fee: null,
  payerEmail,
});
const apply = async (services: Services, facts: readonly GatewayFact[]) =>
  applyFacts(services, await shop.ctx(), { accountId: account.id, source: "notification" }, facts);
const completed = async () =>
  Number(
    (
      await api.query<{ n: string }>(
        "select count(*) as n from transactions where organisation_id = $1 and status = 'complete'",
        shop.organisation.id,
      )
    )[0]?.n,
  );
const entries = async () =>
  (await api.query("select from journal_entries where organisation_id = $1", shop.organisation.id)).length;

test("5 000 facts take 25 transactions, and a second delivery changes nothing", async () => {
  const references: string[] = [];
  for (let n = 0; n < 50; n++) references.push(await addPayment(api, shop, account));
  const facts = Array.from({ length: 5_000 }, (_, n) => paid(references[n % 60] ?? `TEFO-20270101-${n}`));
  const { services, begun } = counting();
  assert.equal(await apply(services, facts), 0);
  assert.equal(begun(), 25);
  assert.deepEqual([await completed(), await entries()], [50, 50]);
  assert.equal(await apply(services, facts.slice(0, 400)), 0);
  assert.deepEqual([begun(), await completed(), await entries()], [27, 50, 50]);
});

test("a fact that cannot be applied spoils no other", async () => {
  const before = await completed();
  const references: string[] = [];
  for (let n = 0; n < 20; n++) references.push(await addPayment(api, shop, account));
  const facts = references.map((reference, n) => paid(reference, n === 7 ? "nul\0@example.org" : null));
  const { services, begun } = counting();
  assert.equal(await apply(services, facts), 1);
  // The set, and its halves down to the one that fails: 20, 10, 10, 5, 5, 2, 3, 1, 2.
  assert.deepEqual([await completed(), begun()], [before + 19, 9]);
});
