import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { DebitBatchState, DebitOrderAbility } from "../../src/gateways/contract.ts";
import { GatewayNotReached, GatewayUnclear } from "../../src/gateways/http.ts";
import { sandbox } from "../../src/gateways/sandbox/adapter.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { eventsOf } from "../support/cards.ts";
import {
  alertsAbout,
  atTheGateway,
  batchNow,
  debitOf,
  debitReference,
  gathered,
  mandateIs,
  submit,
} from "../support/debit-batches.ts";
import { addActiveMandate, type MandateShop, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* What becomes of a batch whose gateway answers unclearly, refuses or holds it, and of debits whose mandates are stopped meanwhile. */

const DAY = "20270305";
const DATE = "2027-03-05";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const gateway: DebitOrderAbility = sandbox.debitOrders ?? assert.fail("the sandbox gateway collects debit orders");

/** The gateway answers submissions so until the test ends; answers what it was sent, by reference. */
function answering(t: TestContext, answer: (references: readonly string[]) => DebitBatchState): string[][] {
  const sent: string[][] = [];
  t.mock.method(gateway, "submit", async ({ lines }: Parameters<DebitOrderAbility["submit"]>[0]) => {
    const references = [];
    for await (const { reference } of lines) references.push(reference);
    sent.push(references);
    return answer(references);
  });
  return sent;
}

const unclear = (): never => {
  throw new GatewayUnclear("no answer");
};

const change = async ({ shop }: MandateShop, { id }: Shown, body: object): Promise<void> => {
  const answer = await shop.call("PATCH", `/mandates/${id}`, { body });
  assert.equal(answer.status, 200, answer.text);
};

/** A shop with so many mandates in an open batch that goes out on `DATE`. */
async function openBatch(count: number) {
  const shop = await openMandateShop(api);
  const mandates: Shown[] = [];
  for (let n = 0; n < count; n++) mandates.push(await addActiveMandate(shop, { debitDay: 5 }));
  return { shop, mandates, batch: await gathered(shop, DATE) };
}

describe("an answer of the gateway to a submission", () => {
  test("unclear: it is asked about, and sent again only when the gateway does not know it", async (t) => {
    const { shop, mandates, batch } = await openBatch(3);
    const sent = answering(t, unclear);
    assert.equal((await submit(shop, batch)).body.status, "submitting");
    await shop.move("2027-03-01T10:00:01.000Z");
    assert.deepEqual(
      sent.map((references) => references.toSorted()),
      [mandates.map((one) => debitReference(one, DAY)).toSorted()],
    );
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { status: "submitting", results: { pending: 3 } });
    t.mock.restoreAll();
    const asked = t.mock.method(gateway, "query", gateway.query);
    await shop.move("2027-03-01T10:10:00.000Z");
    assert.ok(asked.mock.callCount() > 0, "it is asked about before it is sent again");
    assert.equal((await batchNow(shop, batch)).status, "submitted");
    const lines = await atTheGateway(shop);
    assert.deepEqual(
      lines.map((line) => [line.reference, line.lines]),
      mandates
        .map((one) => debitReference(one, DAY))
        .toSorted()
        .map((reference) => [reference, 1]),
    );
  });

  test("not reached: it is sent as soon as it can be, and need not be asked about", async (t) => {
    const { shop, batch } = await openBatch(2);
    const asked = t.mock.method(gateway, "query", unclear);
    const sent = answering(t, () => {
      if (sent.length === 1) throw new GatewayNotReached("refused");
      return { kind: "submitted", batchRef: "b1", rejected: [] };
    });
    await submit(shop, batch);
    await shop.move("2027-03-01T10:01:00.000Z");
    assert.equal((await batchNow(shop, batch)).status, "submitting");
    await shop.move("2027-03-01T10:20:00.000Z");
    assert.deepEqual([sent.length, asked.mock.callCount()], [2, 0]);
    assert.equal((await batchNow(shop, batch)).status, "submitted");
  });

  test("still looked at: it is asked about until it is taken, under the name that the gateway gave it", async (t) => {
    const { shop, batch } = await openBatch(2);
    const processing = { kind: "processing", batchRef: "file-1", rejected: [] } as const;
    const sent = answering(t, () => processing);
    const asked: (string | null)[] = [];
    t.mock.method(gateway, "query", async ({ batchRef }: { batchRef: string | null }) => {
      asked.push(batchRef);
      return asked.length < 3 ? processing : { kind: "submitted", batchRef: "file-1", rejected: [] };
    });
    await submit(shop, batch);
    await shop.move("2027-03-01T10:20:00.000Z");
    assert.deepEqual([sent.length, asked], [1, ["file-1", "file-1", "file-1"]]);
    assert.equal((await batchNow(shop, batch)).status, "submitted");
  });

  test("unclear after the gateway took it: it is not sent again", async (t) => {
    const { shop, batch } = await openBatch(2);
    const original = gateway.submit;
    const submitted = t.mock.method(gateway, "submit", async (...given: Parameters<typeof original>) => {
      await original(...given);
      return unclear();
    });
    await submit(shop, batch);
    await shop.move("2027-03-01T10:20:00.000Z");
    assert.equal(submitted.mock.callCount(), 1);
    assert.equal((await batchNow(shop, batch)).status, "submitted");
    assert.equal((await atTheGateway(shop)).length, 2);
  });

  test("refused: nobody is debited, no unpaid debit is counted, staff are told once", async (t) => {
    const { shop, mandates, batch } = await openBatch(2);
    const [one = {}] = mandates;
    answering(t, () => ({ kind: "refused", reason: "The service key is wrong." }));
    await submit(shop, batch);
    await shop.move("2027-03-02T10:00:00.000Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), {
      status: "refused",
      problem: "The service key is wrong.",
      submittedAt: null,
      results: { collected: 0, unpaid: 2, pending: 0 },
    });
    assert.equal((await debitOf(shop, one, DAY))["status"], "cancelled");
    await mandateIs(shop, one, { failureCount: 0, status: "active", nextDebitDate: "2027-04-05" });
    assert.equal((await eventsOf(shop, "payment.cancelled")).length, 2);
    const mails = await alertsAbout(shop, /batch of debit orders was refused/);
    assert.equal(mails.length, 1);
    assert.match(mails[0]?.text ?? "", /The service key is wrong\./);
    assert.equal((await submit(shop, batch)).body.status, "refused", "it is not sent again");
  });

  test("held: it counts as sent, staff are told once to release it, and results are taken as ever", async (t) => {
    const { shop, mandates, batch } = await openBatch(2);
    answering(t, () => ({ kind: "held", batchRef: "held-1", reason: "Release it first.", rejected: [] }));
    await submit(shop, batch);
    await shop.move("2027-03-02T10:00:00.000Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), {
      status: "submitted",
      problem: "Release it first.",
      results: { pending: 2 },
    });
    assert.equal((await alertsAbout(shop, /waits for you/)).length, 1);
    const [one = {}] = mandates;
    assert.equal((await debitOf(shop, one, DAY))["status"], "pending");
  });

  test("some lines rejected: these fail in the gateway's words and count as unpaid, the others are collected", async (t) => {
    const { shop, mandates, batch } = await openBatch(3);
    const [bad = {}, good = {}] = mandates;
    const reference = debitReference(bad, DAY);
    const original = gateway.submit;
    t.mock.method(
      gateway,
      "submit",
      async (request: Parameters<typeof original>[0], call: Parameters<typeof original>[1]) => {
        const lines = [];
        for await (const line of request.lines) if (line.reference !== reference) lines.push(line);
        const state = await original({ ...request, lines }, call);
        assert.ok(state.kind === "submitted");
        return { ...state, rejected: [{ reference, reason: "No such branch." }] };
      },
    );
    await submit(shop, batch);
    await shop.move("2027-03-10T10:00:00.000Z");
    assert.deepEqual((await batchNow(shop, batch))["results"], { collected: 2, unpaid: 1, pending: 0 });
    assert.equal((await debitOf(shop, bad, DAY))["status"], "failed");
    await mandateIs(shop, bad, { failureCount: 1 });
    await mandateIs(shop, good, { failureCount: 0, lastCollectedAt: DATE });
  });
});

describe("a mandate that is stopped after it was gathered", () => {
  test("paused or cancelled before the batch is sent: its debit is withdrawn", async () => {
    const { shop, mandates, batch } = await openBatch(4);
    const [paused = {}, cancelled = {}, back = {}, kept = {}] = mandates;
    await change(shop, paused, { status: "paused" });
    await change(shop, cancelled, { status: "cancelled" });
    await change(shop, back, { status: "paused" });
    await change(shop, back, { status: "active" });
    // What is in a batch keeps its amount.
    await change(shop, kept, { amount: 99 });
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { count: 4, amount: 1402 });
    const answer = await submit(shop, batch);
    assert.partialDeepStrictEqual(answer.body, { count: 2, amount: 701, forecast: { count: 2, amount: 701 } });
    await shop.move("2027-03-10T10:00:00.000Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { results: { collected: 2, unpaid: 0, pending: 0 } });
    for (const one of [paused, cancelled]) {
      assert.equal((await debitOf(shop, one, DAY))["status"], "cancelled");
      await mandateIs(shop, one, { failureCount: 0, nextDebitDate: null, lastCollectedAt: null });
    }
    for (const one of [back, kept]) assert.equal((await debitOf(shop, one, DAY))["status"], "complete");
    const references = (await atTheGateway(shop)).map(({ reference }) => reference);
    assert.deepEqual(references, [back, kept].map((one) => debitReference(one, DAY)).toSorted());
    await change(shop, paused, { status: "active" });
    await mandateIs(shop, paused, { nextDebitDate: "2027-04-05" });
  });

  test("all of a batch: nothing is sent, and the batch is cancelled", async (t) => {
    const { shop, mandates, batch } = await openBatch(2);
    const sent = answering(t, unclear);
    for (const one of mandates) await change(shop, one, { status: "cancelled" });
    await shop.move("2027-03-03T10:00:00.000Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), {
      status: "cancelled",
      count: 0,
      amount: 0,
      submittedAt: null,
    });
    assert.deepEqual(sent, []);
    assert.equal((await submit(shop, batch)).body.status, "cancelled");
    assert.equal((await eventsOf(shop, "payment.cancelled")).length, 2);
  });

  test("after the batch was sent: its debit is collected, and a result counts on the mandate as it is", async () => {
    const { shop, mandates, batch } = await openBatch(2);
    const [cancelled = {}] = mandates;
    await submit(shop, batch);
    await shop.move("2027-03-01T11:00:00.000Z");
    await change(shop, cancelled, { status: "cancelled" });
    await shop.move("2027-03-10T10:00:00.000Z");
    assert.equal((await debitOf(shop, cancelled, DAY))["status"], "complete");
    await mandateIs(shop, cancelled, { status: "cancelled", lastCollectedAt: DATE, nextDebitDate: null });
  });
});
