import assert from "node:assert/strict";
import { openPage } from "../support/cards.ts";
import { batchNow, gathered, submit } from "../support/debit-batches.ts";
import { addActiveMandate, addMandate, mandateNow, type Shown } from "../support/mandates.ts";
import { inBooks, type Journey, pay, type Stage, shown } from "./journeys.ts";
import { decideAt } from "./payer.ts";

const ACTION_DATE = "2027-03-05";
const referenceOf = (mandate: Shown) => `${mandate["accountReference"]}-20270305`;

/** Mandates that are debited on a day, and the batch that takes them to the gateway. */
async function batchOf(stage: Stage, mandates: number): Promise<{ mandates: Shown[]; id: string }> {
  const added: Shown[] = [];
  while (added.length < mandates) added.push(await addActiveMandate(stage, { debitDay: 5, amount: 350.5 }));
  const batch = await gathered(stage, ACTION_DATE);
  assert.equal((await submit(stage, batch)).status, 200);
  return { mandates: added, id: batch.id };
}

const statusesOf = async (stage: Stage, mandates: readonly Shown[]) =>
  Promise.all(mandates.map(async (mandate) => (await shown(stage, referenceOf(mandate)))["status"]));

const collects: Journey = {
  name: "mandates are debited by a batch: collected, unpaid, and taken back after a month",
  needs: ["debitOrders"],
  async run(stage) {
    const { standIn } = stage;
    const { mandates, id } = await batchOf(stage, 3);
    const [paid, unpaid, back] = mandates.map(referenceOf);
    assert.ok(paid && unpaid && back);
    await stage.move("2027-03-02T10:00:00Z");
    assert.partialDeepStrictEqual(await batchNow(stage, { id }), { status: "submitted", problem: null });
    assert.deepEqual(
      mandates.flatMap((mandate) => inBooks(stage, referenceOf(mandate)).map(({ amount }) => amount)),
      [35_050, 35_050, 35_050],
    );
    for (const [reference, outcome] of [
      [paid, "paid"],
      [unpaid, "unpaid"],
      [back, "paid"],
    ] as const)
      await standIn.acts.endsDebit?.(reference, outcome);
    await stage.move("2027-03-12T10:00:00Z");
    assert.deepEqual(await statusesOf(stage, mandates), ["complete", "failed", "complete"]);
    await stage.move("2027-04-06T10:00:00Z");
    await standIn.acts.reverses?.(back);
    await stage.move("2027-04-09T10:00:00Z");
    const reversed = await shown(stage, back);
    assert.partialDeepStrictEqual(reversed, { status: "complete", reversals: [{ amount: 350.5, code: "30" }] });
    for (const reference of [paid, unpaid]) assert.equal((await shown(stage, reference))["reversals"], undefined);
    // What was read every day counts once.
    const entries = await stage.api.query<{ kind: string }>(
      "select kind from journal_entries where organisation_id = $1 and kind in ('payment', 'reversal') order by kind",
      stage.shop.organisation.id,
    );
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["payment", "payment", "reversal"],
    );
    assert.equal((await mandateNow(stage, mandates[1] ?? {}))["failureCount"], 1);
  },
};

const unclearBatch: Journey = {
  name: "a batch whose answer is lost is not sent twice",
  needs: ["debitOrders"],
  async run(stage) {
    for (const kind of ["silence", "error", "half"] as const) {
      const mandate = await addActiveMandate(stage, { debitDay: { silence: 5, error: 12, half: 19 }[kind] });
      const day = { silence: "05", error: "12", half: "19" }[kind];
      const batch = await gathered(stage, `2027-03-${day}`);
      assert.equal((await submit(stage, batch)).status, 200);
      stage.standIn.failAnswers({ kind, done: true });
      await stage.move(`2027-03-0${{ silence: 2, error: 3, half: 4 }[kind]}T10:00:00Z`);
      const reference = `${mandate["accountReference"]}-202703${day}`;
      assert.equal(inBooks(stage, reference).length, 1, kind);
      assert.equal((await batchNow(stage, batch)).status, "submitted", kind);
    }
  },
};

const refusedLines: Journey = {
  name: "a debit that the gateway does not take fails alone",
  needs: ["debitOrders"],
  async run(stage) {
    const wrong = await addActiveMandate(stage, { debitDay: 5 }, { accountNumber: "62900417701000" });
    const { mandates } = await batchOf(stage, 1);
    await stage.move("2027-03-02T10:00:00Z");
    assert.deepEqual(await statusesOf(stage, [wrong, ...mandates]), ["failed", "pending"]);
  },
};

/** A mandate that waits for its signature at the gateway. */
const addEMandate = (stage: Stage): Promise<Shown> => addMandate(stage, { authority: "emandate", debitDay: 5 });

const signs: Journey = {
  name: "an electronic mandate is signed, or declined, on the gateway's page",
  needs: ["eMandate"],
  async run(stage) {
    for (const [outcome, status] of [
      ["accepted", "active"],
      ["rejected", "cancelled"],
    ] as const) {
      const mandate = await addEMandate(stage);
      assert.equal(mandate["stage"], "awaiting_signature");
      await decideAt(stage.api, String(mandate["eMandateUrl"]), outcome);
      assert.equal((await mandateNow(stage, mandate))["status"], status);
    }
  },
};

const lostSignature: Journey = {
  name: "a signature whose notification was lost is found by asking",
  needs: ["eMandate"],
  async run(stage) {
    const mandate = await addEMandate(stage);
    stage.standIn.failNotices({ kind: "lost" });
    await decideAt(stage.api, String(mandate["eMandateUrl"]), "accepted");
    await stage.move("2027-03-02T10:00:00Z");
    assert.equal((await mandateNow(stage, mandate))["status"], "active");
    // The lost notification, sent again, is acknowledged.
    assert.equal(await stage.standIn.resend(stage.standIn.notices.length - 1), 200);
  },
};

const refusedMandate: Journey = {
  name: "an electronic mandate that the gateway does not take is refused",
  needs: ["eMandate"],
  async run(stage) {
    const body = { customerId: stage.customer, authority: "emandate", amount: 10, debitDay: 5 };
    const bank = { branchCode: "250655", accountNumber: "62900417709", accountHolder: "T Nkosi" };
    const answer = await stage.shop.post("/mandates", { ...body, bank });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /bank account is not valid/);
  },
};

const checks: Journey = {
  name: "a bank account is checked when its mandate is made, and what is found does not block",
  needs: ["bankAccountCheck"],
  async run(stage) {
    const mandate = await addMandate(stage, {}, { accountNumber: "62900417705" });
    assert.equal((mandate["warnings"] as unknown[]).length, 1, JSON.stringify(mandate["warnings"]));
  },
};

const comesBackByTheBank: Journey = {
  name: "a payment on the gateway's pages that its bank takes back later is reversed",
  needs: ["onceOff", "debitOrders"],
  async run(stage) {
    const { reference, back } = await pay(stage);
    await openPage(stage.api, back);
    assert.equal((await shown(stage, reference))["status"], "complete");
    await stage.standIn.acts.reverses?.(reference);
    await stage.move("2027-03-20T10:00:00Z");
    const payment = await shown(stage, reference);
    assert.partialDeepStrictEqual(payment, { status: "complete", reversals: [{ amount: 100 }] });
    assert.equal((payment["reversals"] as unknown[]).length, 1);
  },
};

export const DEBIT_JOURNEYS: readonly Journey[] = [
  collects,
  unclearBatch,
  refusedLines,
  signs,
  lostSignature,
  refusedMandate,
  checks,
  comesBackByTheBank,
];
