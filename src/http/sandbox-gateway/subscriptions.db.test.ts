import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addClockedMerchant, type ClockedMerchant, callAs } from "../../../test/support/clocked-merchant.ts";
import { openPages, type TestPages } from "../../../test/support/pages.ts";
import { notifyUrlOf } from "../../flows/gateways/accounts.ts";
import { renewSubscription } from "../../flows/sandbox-gateway/renew-subscription.ts";
import type { StartPaymentRequest } from "../../gateways/contract.ts";
import { sandbox, sandboxCancelOnly } from "../../gateways/sandbox/adapter.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";

const NOW = "2026-01-31T10:00:00.000Z";

let pages: TestPages;
before(async () => {
  pages = await openPages();
});
after(() => pages.close());

const { checkout, subscriptions } = sandbox;
const { pausing, changing } = subscriptions ?? {};

const monthly = { frequency: "monthly", amount: cents(9_900), nextChargeOn: null } as const;

/** A recurring payment that waits on the gateway's page; returns the page's path. */
async function begin(
  shop: ClockedMerchant,
  reference: string,
  recurring: StartPaymentRequest["recurring"] = monthly,
  gateway: GatewayAccount = shop.gateway,
): Promise<string> {
  const url = `${pages.baseUrl}/pay/x/result/y`;
  const started = await checkout?.start(
    {
      reference,
      recurring,
      amount: cents(5_000),
      currency: "ZAR",
      description: "Gym",
      payer: { email: "p@example.com", firstName: null, lastName: null, phone: null },
      returnUrl: url,
      cancelUrl: url,
      notifyUrl: notifyUrlOf(pages.services, gateway),
      saveCard: false,
      startsSubscription: false,
      forCard: false,
    },
    await callAs(pages, shop, gateway),
  );
  assert.equal(started?.kind, "redirect");
  return started?.kind === "redirect" ? new URL(started.url).pathname : assert.fail();
}
/** A running subscription; returns its key. */
async function subscribe(
  shop: ClockedMerchant,
  card: string,
  recurring?: StartPaymentRequest["recurring"],
  gateway?: GatewayAccount,
): Promise<string> {
  const reference = `TEFO-${card}`;
  await pages.post(await begin(shop, reference, recurring, gateway), { outcome: "complete", card });
  const [fact] = await shop.told(reference);
  return fact?.subscription?.key ?? assert.fail("no subscription was told of");
}
const query = async (shop: ClockedMerchant, key: string) =>
  subscriptions?.query({ key, handle: key }, await callAs(pages, shop));
const renewals = async (shop: ClockedMerchant) => (await shop.told()).slice(1);

describe("a subscription of the gateway", () => {
  test("begins with the payment that completes, and leaves a token though the box is not ticked", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const page = await begin(shop, "R-1");
    await pages.post(page, { outcome: "complete" });
    const [fact, ...more] = await shop.told();
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(fact, { kind: "paid", amount: 5_000, card: { last4: "4242" } });
    assert.equal(fact?.subscription?.nextChargeOn, "2026-02-28");
    const [stored] = await pages.query<{ token: string }>(
      "select details -> 'card' ->> 'token' as token from sandbox_payments where reference = 'R-1' and organisation_id = $1",
      shop.organisation.id,
    );
    assert.match(stored?.token ?? "", /^sst_[0-9a-f]{24}_4242$/);
    assert.partialDeepStrictEqual(await query(shop, fact?.subscription?.key ?? ""), { kind: "active" });
  });

  test("is collected on each date, oldest first, once each, with an id of its own", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    assert.deepEqual(await shop.move("2026-02-27T21:59:59Z"), {});
    assert.equal((await shop.move("2026-05-31T21:59:00Z"))["sandbox.renew"], 4);
    const told = await renewals(shop);
    assert.deepEqual(
      told.map(({ kind, occurredAt, subscription }) => [kind, occurredAt, subscription?.nextChargeOn]),
      [
        ["paid", "2026-02-27T22:00:00.000Z", "2026-03-31"],
        ["paid", "2026-03-30T22:00:00.000Z", "2026-04-30"],
        ["paid", "2026-04-29T22:00:00.000Z", "2026-05-31"],
        ["paid", "2026-05-30T22:00:00.000Z", "2026-06-30"],
      ],
    );
    for (const fact of told) assert.partialDeepStrictEqual(fact, { amount: 9_900, reference: "TEFO-4242424242424242" });
    assert.equal(new Set(told.map(({ providerRef }) => providerRef)).size, 4);
    const known = await checkout?.query(
      {
        reference: "TEFO-of-the-core",
        checkoutRef: null,
        providerRef: told[1]?.providerRef ?? "",
        amount: cents(9_900),
        currency: "ZAR",
        startedAt: (await shop.ctx()).now,
      },
      await callAs(pages, shop),
    );
    assert.partialDeepStrictEqual(known, { kind: "paid", providerRef: told[1]?.providerRef, subscription: { key } });
  });

  test("misses each collection with card 0341, and late money makes it active again", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4000000000000341");
    await shop.move("2026-03-31T10:00:00Z");
    const told = await renewals(shop);
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ["declined", "declined"],
    );
    assert.partialDeepStrictEqual(await query(shop, key), { kind: "past_due" });
    const missed = told[0]?.providerRef ?? "";
    await shop.notify(missed, "complete");
    assert.partialDeepStrictEqual((await shop.told()).at(-1), {
      kind: "paid",
      providerRef: missed,
      subscription: { key },
    });
    assert.partialDeepStrictEqual(await query(shop, key), { kind: "active" });
  });

  test("is one, however often and from how many it is completed, on demand too", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const page = await begin(shop, "R-1");
    await shop.notify("R-1", "failed");
    await Promise.all([
      ...Array.from({ length: 10 }, () => shop.notify("R-1", "complete")),
      pages.post(page, { outcome: "complete" }),
    ]);
    const paid = (await shop.told()).filter(({ kind }) => kind === "paid");
    assert.equal(new Set(paid.map(({ subscription }) => subscription?.key)).size, 1);
    assert.match(paid[0]?.card?.last4 ?? "", /4242/);
    assert.equal((await shop.move("2026-02-28T10:00:00Z"))["sandbox.renew"], 1);
  });

  test("does not begin with a payment that fails or is left", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    for (const outcome of ["failed", "cancelled"]) await pages.post(await begin(shop, outcome), { outcome });
    assert.deepEqual(await shop.move("2026-12-31T10:00:00Z"), {});
    assert.deepEqual(
      (await shop.told()).map(({ subscription }) => subscription),
      [null, null],
    );
  });

  test("is paused and resumed: dates in between are not made up for", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    const call = await callAs(pages, shop);
    for (const _ of [1, 2]) assert.deepEqual(await pausing?.pause(key, call), { kind: "done", nextChargeOn: null });
    assert.deepEqual(await shop.move("2026-04-10T10:00:00Z"), {});
    for (const _ of [1, 2])
      assert.deepEqual(await pausing?.resume(key, call), { kind: "done", nextChargeOn: "2026-04-30" });
    await shop.move("2026-05-01T10:00:00Z");
    assert.equal((await renewals(shop)).length, 1);
  });

  test("is cancelled for good", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    const call = await callAs(pages, shop);
    for (const _ of [1, 2])
      assert.deepEqual(await subscriptions?.cancel(key, call), { kind: "done", nextChargeOn: null });
    for (const refused of [
      await pausing?.pause(key, call),
      await pausing?.resume(key, call),
      await changing?.change(key, { amount: cents(1) }, call),
    ])
      assert.deepEqual(refused, { kind: "refused", reason: "The subscription is cancelled." });
    assert.deepEqual(await shop.move("2027-04-10T10:00:00Z"), {});
  });

  test("changes its amount and its next date", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    const call = await callAs(pages, shop);
    const nextDate = "2026-02-10" as CalendarDay;
    assert.deepEqual(await changing?.change(key, { amount: cents(12_345), nextDate }, call), {
      kind: "done",
      nextChargeOn: nextDate,
    });
    const today = await changing?.change(key, { nextDate: "2026-01-31" as CalendarDay }, call);
    assert.deepEqual(today, { kind: "refused", reason: "nextDate must be after today." });
    await shop.move("2026-03-10T10:00:00Z");
    assert.deepEqual(
      (await renewals(shop)).map((fact) => ["amount" in fact && fact.amount, fact.occurredAt]),
      [
        [12_345, "2026-02-09T22:00:00.000Z"],
        [12_345, "2026-03-09T22:00:00.000Z"],
      ],
    );
  });

  test("can only be cancelled at an account without other actions", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const gateway = await shop.addGateway({ type: "sandbox_cancel_only" });
    const key = await subscribe(shop, "4242424242424242", monthly, gateway);
    const call = await callAs(pages, shop, gateway);
    const only = { kind: "refused", reason: "Subscriptions of this account can only be cancelled." };
    assert.deepEqual(await pausing?.pause(key, call), only);
    assert.deepEqual(await pausing?.resume(key, call), only);
    assert.deepEqual(await changing?.change(key, { amount: cents(1) }, call), only);
    await shop.move("2026-02-28T10:00:00Z");
    assert.equal((await renewals(shop)).length, 1);
    assert.deepEqual(await sandboxCancelOnly.subscriptions?.cancel(key, call), { kind: "done", nextChargeOn: null });
    assert.deepEqual(await shop.move("2026-12-28T10:00:00Z"), {});
  });

  test("is found by its merchant only", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    const other = await callAs(pages, await addClockedMerchant(pages, NOW));
    const second = await callAs(pages, shop, await shop.addGateway({ type: "sandbox", name: "Second" }));
    for (const call of [other, second]) {
      assert.equal(await subscriptions?.query({ key, handle: key }, call), null);
      assert.equal((await subscriptions?.cancel(key, call))?.kind, "refused");
    }
    assert.equal(await subscriptions?.query({ key: "sbs_\0", handle: null }, await callAs(pages, shop)), null);
    assert.partialDeepStrictEqual(await query(shop, key), { kind: "active" });
  });

  test("is collected once for a date by two at once, and by what a process that ended had left", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const key = await subscribe(shop, "4242424242424242");
    await shop.move("2026-02-27T21:00:00Z");
    const ctx = { ...(await shop.ctx()), now: new Date("2026-02-28T10:00:00Z") as never };
    const nexts = await Promise.all([1, 2].map(() => renewSubscription(pages.services, ctx, key)));
    nexts.push(await renewSubscription(pages.services, ctx, key));
    assert.deepEqual(
      nexts.map((next) => next?.toISOString()),
      Array(3).fill("2026-03-30T22:00:00.000Z"),
    );
    assert.equal(new Set((await renewals(shop)).map(({ providerRef }) => providerRef)).size, 1);
  });

  test("moves to the next date only when its collection was acknowledged", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await subscribe(shop, "4242424242424242");
    pages.setGatewayUrl("http://127.0.0.1:1");
    const moved = shop.move("2026-03-31T10:00:00Z");
    setTimeout(() => pages.setGatewayUrl(null), 500);
    await moved;
    const told = await renewals(shop);
    assert.equal(told.length, 2);
    assert.equal(new Set(told.map(({ providerRef }) => providerRef)).size, 2);
  });
});
