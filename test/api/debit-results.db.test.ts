import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import {
  type DeclinedFact,
  type GatewayFact,
  internalFact,
  type PaidFact,
  type PaymentFact,
} from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { addActiveMandate, type MandateShop, mandateNow, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const DAY = "20270305";
const referenceOf = (mandate: Shown) => `${mandate["accountReference"]}-${DAY}`;
const paid = (mandate: Shown, fact: Partial<PaidFact> = {}): PaidFact => ({
  ...internalFact(referenceOf(mandate), "paid"),
  kind: "paid",
  amount: cents(35_050),
  currency: "ZAR",
  fee: cents(250),
  providerRef: `gateway-${mandate["id"]}`,
  ...fact,
});
const unpaid = (mandate: Shown, reason = "Insufficient funds."): DeclinedFact => ({
  ...internalFact(referenceOf(mandate), "02"),
  kind: "declined",
  amount: cents(35_050),
  currency: "ZAR",
  reason,
  hard: false,
});

/** A shop with so many mandates in a batch. */
async function openBatch(mandates: number): Promise<{ shop: MandateShop; mandates: [Shown, ...Shown[]] }> {
  const shop = await openMandateShop(api);
  const added = [await addActiveMandate(shop, { debitDay: 5 })] as [Shown, ...Shown[]];
  while (added.length < mandates) added.push(await addActiveMandate(shop, { debitDay: 5 }));
  const made = await shop.staff("POST", "/debit-batches", { actionDate: "2027-03-05" });
  assert.equal(made.status, 201, made.text);
  return { shop, mandates: added };
}

/** Applies the facts as one notification of the account; answers how many could not be applied. */
const apply = async ({ shop, account }: MandateShop, facts: readonly GatewayFact[], accountId: string = account.id) =>
  applyFacts(api.services, await shop.ctx(), { accountId, source: "notification" }, facts);

const debitOf = async ({ shop }: MandateShop, mandate: Shown) =>
  (await shop.get(`/transactions/${referenceOf(mandate)}`)).body;
const statusesOf = async (shop: MandateShop, mandates: readonly Shown[]) =>
  (await Promise.all(mandates.map((mandate) => debitOf(shop, mandate)))).map(({ status }) => status);
/** What became of the facts about a debit, in their order. */
const outcomesOf = async ({ shop }: MandateShop, reference: string) =>
  (
    await api.query<{ outcome: string }>(
      "select outcome from gateway_notifications where organisation_id = $1 and reference = $2 order by id",
      shop.organisation.id,
      reference,
    )
  ).map(({ outcome }) => outcome);
const eventsOf = async ({ shop }: MandateShop, mandate: Shown) =>
  (
    await api.query<{ type: string }>(
      "select type from events where organisation_id = $1 and subject = $2 order by sequence",
      shop.organisation.id,
      referenceOf(mandate),
    )
  ).map(({ type }) => type);
const reasonOf = async ({ shop }: MandateShop, mandate: Shown) =>
  (
    await api.query<{ unpaid_reason: string | null }>(
      "select unpaid_reason from debits where organisation_id = $1 and mandate_id = $2",
      shop.organisation.id,
      mandate["id"],
    )
  )[0]?.unpaid_reason;

test("the results of a batch are settled together, each by itself: paid, unpaid, repeated, wrong and unknown ones", async () => {
  const { shop, mandates } = await openBatch(6);
  const [good, bad, changed, wrong, twice, open] = mandates;
  assert.ok(bad && changed && wrong && twice && open);
  const facts = [
    paid(good),
    unpaid(bad),
    unpaid(changed),
    paid(wrong, { amount: cents(35_051) }),
    paid(twice),
    { ...paid(open), kind: "pending" } as PaymentFact,
    paid(good, { reference: "DO0000000000-20270305" }),
    paid(twice),
    paid(changed),
    paid(twice, { providerRef: "another" }),
  ];
  assert.equal(await apply(shop, facts), 0);
  assert.deepEqual(await statusesOf(shop, mandates), [
    "complete",
    "failed",
    "complete",
    "pending",
    "complete",
    "pending",
  ]);
  const outcomes = await Promise.all(mandates.map((mandate) => outcomesOf(shop, referenceOf(mandate))));
  assert.deepEqual(
    outcomes.map((each) => each.toSorted()),
    [["applied"], ["applied"], ["applied", "applied"], ["mismatch"], ["applied", "mismatch", "repeated"], ["repeated"]],
  );
  assert.deepEqual(await outcomesOf(shop, "DO0000000000-20270305"), ["unknown_reference"]);
  assert.deepEqual(await eventsOf(shop, good), ["payment.complete"]);
  assert.deepEqual(await eventsOf(shop, bad), ["payment.failed"]);
  assert.deepEqual(await eventsOf(shop, changed), ["payment.failed", "payment.complete"]);
  assert.deepEqual([await reasonOf(shop, bad), await reasonOf(shop, changed)], ["Insufficient funds.", null]);
  assert.partialDeepStrictEqual(await debitOf(shop, good), {
    fee: 2.5,
    providerRef: `gateway-${good["id"]}`,
    flags: [],
  });
  assert.partialDeepStrictEqual(await debitOf(shop, wrong), { flags: ["notification_mismatch"] });
  assert.partialDeepStrictEqual(await debitOf(shop, open), { providerRef: `gateway-${open["id"]}` });
  const counts = await Promise.all([good, bad, changed].map((mandate) => mandateNow(shop, mandate)));
  assert.deepEqual(
    counts.map(({ failureCount, lastCollectedAt }) => [failureCount, lastCollectedAt]),
    [
      [0, "2027-03-05"],
      [1, null],
      [0, "2027-03-05"],
    ],
  );
  assert.equal(await apply(shop, facts.slice(0, 3)), 0);
  assert.deepEqual(await eventsOf(shop, changed), ["payment.failed", "payment.complete"]);
  assert.equal((await mandateNow(shop, bad))["failureCount"], 1);
});

test("a result that cannot be applied spoils no other, and one of another account is kept and not applied", async () => {
  const { shop, mandates } = await openBatch(5);
  const facts = mandates.map((mandate, place) =>
    place === 3 ? paid(mandate, { payerEmail: "nul\0@example.org" }) : paid(mandate),
  );
  const other = await shop.shop.addGateway();
  assert.equal(await apply(shop, facts.slice(0, 2), other.id), 0);
  assert.deepEqual(await statusesOf(shop, mandates), Array(5).fill("pending"));
  assert.equal(await apply(shop, facts), 1);
  assert.deepEqual(await statusesOf(shop, mandates), ["complete", "complete", "complete", "pending", "complete"]);
  assert.deepEqual((await outcomesOf(shop, referenceOf(mandates[0]))).toSorted(), ["applied", "mismatch"]);
});

test("three debits of one mandate that are returned unpaid in one notification count three, and pause it once", async () => {
  const { shop, mandates } = await openBatch(1);
  const [mandate] = mandates;
  for (const actionDate of ["2027-04-05", "2027-05-05"])
    assert.equal((await shop.staff("POST", "/debit-batches", { actionDate })).status, 201);
  const facts = ["20270305", "20270405", "20270505"].map((day) => ({
    ...unpaid(mandate),
    reference: `${mandate["accountReference"]}-${day}`,
  }));
  assert.equal(await apply(shop, facts), 0);
  assert.partialDeepStrictEqual(await mandateNow(shop, mandate), {
    failureCount: 3,
    status: "paused",
    nextDebitDate: null,
  });
  const mails = await mailsOf(api.services, shop.shop.organisation, { kind: "staff_alert" });
  const subjects = mails.map(({ subject }) => subject ?? "");
  assert.equal(subjects.filter((subject) => subject.includes("was paused")).length, 1, subjects.join());
  assert.equal(subjects.filter((subject) => subject.includes("came back unpaid")).length, 3, "one for each batch");
});

test("20 notifications of the same results at once settle each debit once", async () => {
  const { shop, mandates } = await openBatch(8);
  const facts = mandates.map((mandate, place) => (place % 2 === 0 ? paid(mandate) : unpaid(mandate)));
  const shuffled = (n: number) => facts.toSorted(() => (n % 2 === 0 ? 1 : -1));
  const failed = await Promise.all(Array.from({ length: 20 }, (_, n) => apply(shop, shuffled(n))));
  assert.deepEqual(failed, Array(20).fill(0));
  for (const [place, mandate] of mandates.entries()) {
    assert.deepEqual(await eventsOf(shop, mandate), [place % 2 === 0 ? "payment.complete" : "payment.failed"]);
    assert.equal((await mandateNow(shop, mandate))["failureCount"], place % 2);
  }
});
