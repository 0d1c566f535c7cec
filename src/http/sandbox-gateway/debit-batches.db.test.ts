import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { addClockedMerchant, type ClockedMerchant, callAs } from "../../../test/support/clocked-merchant.ts";
import { openPages, standIn, type TestPages } from "../../../test/support/pages.ts";
import { notifyUrlOf } from "../../flows/gateways/accounts.ts";
import { settleDebits } from "../../flows/sandbox-gateway/settle-debits.ts";
import type { DebitBatchRequest, DebitLine, GatewayCall } from "../../gateways/contract.ts";
import { sandbox } from "../../gateways/sandbox/adapter.ts";
import { ACCOUNT_HEADER, Notification } from "../../gateways/sandbox/wire.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

const NOW = "2026-11-18T10:00:00.000Z";
// The second business day after Thursday the 19th is Monday the 23rd.
const ACTION = "2026-11-19" as CalendarDay;
const BEFORE_DAY = "2026-11-22T21:59:59.000Z";
const ON_DAY = "2026-11-22T22:00:00.000Z";

let pages: TestPages;
before(async () => {
  pages = await openPages();
});
after(() => pages.close());

const { submit, query, results } = sandbox.debitOrders ?? assert.fail();

const line = (n: number, ending = "00"): DebitLine => ({
  reference: `DO${String(n).padStart(10, "0")}-20261119`,
  accountReference: `DO${String(n).padStart(10, "0")}`,
  amount: cents(10_000 + n),
  description: "Fees",
  bank: { holder: "T Nkosi", number: `6212345${ending}`, branchCode: "250655", type: "current" },
});
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n, n % 5 === 2 ? "02" : "00"));
const batch = (shop: ClockedMerchant, of: DebitBatchRequest["lines"], changes: Partial<DebitBatchRequest> = {}) => ({
  reference: "B-1",
  actionDate: ACTION,
  lines: of,
  notifyUrl: notifyUrlOf(pages.services, shop.gateway),
  ...changes,
});
/** Every debit of the batch, as it is polled. */
async function polled(call: GatewayCall) {
  const facts = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<NonNullable<typeof results>>> =
      (await results?.({ reference: "B-1", batchRef: null, after }, call)) ?? null;
    facts.push(...(page?.facts ?? []));
    after = page?.next ?? null;
  } while (after !== null);
  return facts;
}
const stored = async (shop: ClockedMerchant) =>
  (
    await pages.query<{ status: string; count: number }>(
      "select status, count(*)::int from sandbox_payments where organisation_id = $1 group by status order by status",
      shop.organisation.id,
    )
  ).map(({ status, count }) => [status, count]);
describe("a batch of debits", () => {
  test("settles on the second business day after its action date, in notifications of many, unpaid for accounts ending in 02", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callAs(pages, shop);
    const sent = lines(1_201);
    const submitted = await submit(batch(shop, sent), call);
    assert.partialDeepStrictEqual(submitted, { kind: "submitted", rejected: [] });
    assert.deepEqual(await query({ reference: "B-1", batchRef: null, lines: [] }, call), submitted);
    assert.deepEqual(await shop.move(BEFORE_DAY), {});
    assert.deepEqual(await stored(shop), [["pending", 1_201]]);
    assert.equal((await shop.move(ON_DAY))["sandbox.debit"], 3);
    const told = await shop.told();
    assert.deepEqual(
      told.map(({ reference }) => reference),
      sent.map(({ reference }) => reference),
    );
    for (const [n, fact] of told.entries()) {
      const expected =
        n % 5 === 2 ? { kind: "declined", gatewayWord: "02", hard: false } : { kind: "paid", amount: 10_000 + n };
      assert.partialDeepStrictEqual(fact, expected);
    }
    assert.deepEqual(
      (await polled(call)).map(({ providerRef, kind }) => [providerRef, kind]),
      told.map(({ providerRef, kind }) => [providerRef, kind]),
    );
    assert.deepEqual(await shop.move("2026-12-31T10:00:00Z"), {}, "nothing more comes of it");
  });

  test("is stored once, however often it is sent, and continues where it was cut off", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callAs(pages, shop);
    const sent = lines(1_100);
    const cutOff = async function* () {
      yield* sent.slice(0, 700);
      throw new Error("the process ended");
    };
    await assert.rejects(submit(batch(shop, cutOff()), call), /the process ended/);
    assert.equal(await query({ reference: "B-1", batchRef: null, lines: [] }, call), null, "it may be sent again");
    assert.deepEqual(await stored(shop), [["pending", 500]]);
    assert.deepEqual(await shop.move("2026-11-22T21:00:00Z"), {});
    const answers = await Promise.all([1, 2, 3, 4].map(() => submit(batch(shop, sent), call)));
    assert.equal(new Set(answers.map((answer) => "batchRef" in answer && answer.batchRef)).size, 1);
    assert.equal((await submit(batch(shop, sent), call)).kind, "submitted");
    assert.deepEqual(await stored(shop), [["pending", 1_100]]);
    await shop.move(ON_DAY);
    assert.equal((await shop.told()).length, 1_100);
  });

  test("refuses invalid lines, and stores none of them", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callAs(pages, shop);
    const reasons: [Partial<DebitBatchRequest>, RegExp][] = [
      [{ lines: [] }, /lines: /],
      [{ notifyUrl: "http://169.254.169.254/" }, /must begin with/],
      [{ lines: [line(1), line(1)] }, /stands for another payment/],
      [{ lines: [{ ...line(1), amount: cents(0) }] }, /amount/],
      [{ actionDate: "2026-02-30" as CalendarDay }, /actionDate/],
    ];
    for (const [n, [changes, reason]] of reasons.entries()) {
      const answer = await submit(batch(shop, [line(1)], { reference: `B-${n}`, ...changes }), call);
      assert.equal(answer.kind, "refused", String(reason));
      if (n > 0 && answer.kind === "refused") assert.match(answer.reason, reason);
    }
    assert.deepEqual(await stored(shop), []);
    await submit(batch(shop, [line(1)]), call);
    const taken = await submit(batch(shop, [line(1)], { reference: "B-other" }), call);
    assert.deepEqual(taken, { kind: "refused", reason: "This reference stands for another payment." });
    const other = await submit(batch(shop, [line(1)], { actionDate: "2026-11-20" as CalendarDay }), call);
    assert.equal(other.kind, "refused", "another date under the same reference");
    const cancelOnly = await shop.addGateway({ type: "sandbox_cancel_only" });
    assert.equal((await submit(batch(shop, [line(9)]), await callAs(pages, shop, cancelOnly))).kind, "refused");
    const stranger = await callAs(pages, await addClockedMerchant(pages, NOW));
    assert.equal(await query({ reference: "B-1", batchRef: null, lines: [] }, stranger), null);
    assert.equal(await results?.({ reference: "B-1", batchRef: null, after: null }, stranger), null);
  });

  test("takes lines in order, up to 50 000, and is submitted with as many as were sent", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const { credentials } = await callAs(pages, shop);
    const headers = {
      authorization: `Basic ${Buffer.from(`${credentials["merchantId"]}:${credentials["secret"]}`).toString("base64")}`,
      [ACCOUNT_HEADER]: shop.gateway.id,
      "content-type": "application/json",
    };
    const post = async (path: string, body: object) => {
      const answer = await pages.request(
        "POST",
        `/sandbox-gateway/api/debit-batches${path}`,
        headers,
        JSON.stringify(body),
      );
      return [answer.status, JSON.parse(answer.text) as { lines?: number; message?: string }] as const;
    };
    await post("", { reference: "B-1", actionDate: ACTION, notifyUrl: notifyUrlOf(pages.services, shop.gateway) });
    assert.equal((await post("/B-1/lines", { from: 1, lines: [line(1)] }))[0], 409);
    assert.deepEqual((await post("/B-1/lines", { from: 0, lines: lines(2) }))[1].lines, 2);
    assert.deepEqual((await post("/B-1/lines", { from: 1, lines: lines(3).slice(1) }))[1].lines, 3, "the rest of it");
    assert.equal((await post("/B-1/lines", { from: 3, lines: Array(501).fill(line(1)) }))[0], 400);
    assert.equal((await post("/B-1/submit", { lines: 2 }))[0], 409);
    assert.equal((await post("/B-2/submit", { lines: 2 }))[0], 404);
    assert.equal((await post("/B-1/submit", { lines: 3 }))[0], 200);
    assert.deepEqual((await post("/B-1/lines", { from: 3, lines: [line(4)] }))[1].lines, 3, "it is closed");
    await pages.query(
      "update sandbox_debit_batches set lines = 50000, status = 'open' where organisation_id = $1",
      shop.organisation.id,
    );
    const full = await post("/B-1/lines", { from: 50_000, lines: [line(5)] });
    assert.deepEqual([full[0], full[1].message], [409, "A batch has at most 50000 lines."]);
  });

  test("stores nothing of the bank accounts", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await submit(batch(shop, lines(3)), await callAs(pages, shop));
    const rows = await pages.query("select * from sandbox_payments where organisation_id = $1", shop.organisation.id);
    assert.doesNotMatch(JSON.stringify(rows), /6212345/);
  });

  test("settles what a process that ended had left, and two at once settle it once", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const sent = lines(700);
    await submit(batch(shop, sent), await callAs(pages, shop));
    await shop.move(BEFORE_DAY);
    const [row] = await pages.query<{ id: string }>(
      "select id from sandbox_debit_batches where organisation_id = $1",
      shop.organisation.id,
    );
    const ctx = { ...(await shop.ctx()), now: new Date(ON_DAY) as never };
    const settle = () => settleDebits(pages.services, ctx, row?.id ?? "");
    await Promise.all([settle(), settle()]);
    pages.setGatewayUrl("http://127.0.0.1:1");
    await assert.rejects(settle(), /got the answer 0/);
    pages.setGatewayUrl(null);
    while (await settle());
    const ends = Map.groupBy(await shop.told(), ({ reference }) => reference);
    assert.equal(ends.size, 700);
    for (const facts of ends.values()) assert.equal(new Set(facts.map((fact) => JSON.stringify(fact))).size, 1);
    assert.equal(await settle(), null);
  });

  test("goes out late when its date is behind: it settles at once", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await submit(batch(shop, lines(1), { actionDate: "2026-11-02" as CalendarDay }), await callAs(pages, shop));
    await shop.move("2026-11-18T10:00:01Z");
    assert.deepEqual(
      (await shop.told()).map(({ kind, occurredAt }) => [kind, occurredAt]),
      [["paid", NOW]],
    );
  });
});

describe("notifications of a debit on demand", () => {
  test("ends it before its day, and it does not settle again by itself", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const sent = lines(4);
    const call = await callAs(pages, shop);
    await submit(batch(shop, sent), call);
    const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = sent.map(
      ({ reference }) => reference,
    );
    await shop.notify(first, "failed");
    await shop.notify(third, "complete");
    await shop.move("2026-12-31T10:00:00Z");
    assert.deepEqual(
      (await shop.told()).map(({ reference, kind }) => [reference, kind]),
      [
        [first, "declined"],
        [third, "paid"],
        [second, "paid"],
        [sent[3]?.reference, "paid"],
      ],
    );
    assert.deepEqual(
      (await polled(call)).map(({ kind }) => kind),
      ["declined", "paid", "paid", "paid"],
    );
  });

  test("failed for one that was collected sends a reversal, and the debit stays collected", async (t) => {
    const shop = await addClockedMerchant(pages, NOW);
    await submit(batch(shop, [line(1)]), await callAs(pages, shop));
    await shop.move(ON_DAY);
    const { reference, amount } = line(1);
    const call = await callAs(pages, shop);
    const [collected] = await polled(call);
    const heard: Notification[] = [];
    await standIn(t, pages, (request, response) => {
      void text(request).then((body) => {
        heard.push(Notification.parse(JSON.parse(body)));
        response.end();
      });
    });
    assert.deepEqual(await shop.notify(reference, "failed", 3), [200, 200, 200]);
    assert.deepEqual(await shop.notify(reference, "cancelled"), [200]);
    pages.setGatewayUrl(null);
    const reversals = heard.flatMap((one) => (one.type === "reversal" ? [one.reversal] : []));
    assert.equal(reversals.length, 3);
    for (const reversal of reversals)
      assert.deepEqual(reversal, {
        paymentId: collected?.providerRef,
        reference,
        amount,
        reason: "Insufficient funds",
        code: "02",
        hard: false,
        occurredAt: ON_DAY,
      });
    assert.partialDeepStrictEqual(heard.at(-1), { type: "payment", payment: { status: "cancelled" } });
    assert.deepEqual(await polled(call), [collected]);
  });

  test("failed for one that was not collected is no reversal", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await submit(batch(shop, [line(1, "02")]), await callAs(pages, shop));
    const { reference } = line(1);
    await shop.move(ON_DAY);
    await shop.notify(reference, "failed");
    assert.deepEqual(
      (await shop.told()).map(({ kind }) => kind),
      ["declined", "declined"],
    );
    await shop.notify(reference, "complete");
    assert.partialDeepStrictEqual((await polled(await callAs(pages, shop)))[0], { kind: "paid" }, "late money is kept");
  });
});
