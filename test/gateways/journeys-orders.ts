import assert from "node:assert/strict";
import { gathered, submit } from "../support/debit-batches.ts";
import { addActiveMandate, addMandate, mandateNow, type Shown } from "../support/mandates.ts";
import { addLink, expectPayment, inBooks, type Journey, pay, refund, type Stage, shown, start } from "./journeys.ts";
import { type Decided, reach } from "./payer.ts";
import type { StandIn } from "./stand-in.ts";
import type { NoticeFault } from "./stand-in-faults.ts";

/* What gateways report, in every order: four messages, or what they say on four days, come to the same in each of their 24 orders. */

/** A notice that has not reached the merchant, and how it is then sent. */
interface Sent {
  readonly index: number;
  readonly fault?: NoticeFault;
}

/** Every order of the items. */
export const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((_, at) => permutations(items.toSpliced(at, 1)).map((rest) => [items[at] as Item, ...rest]));

/** Lets things happen at the gateway whose notices are all lost; answers the notices of each. */
export async function happenUnheard(
  { standIn }: Stage,
  ...happenings: readonly (() => unknown)[]
): Promise<readonly Sent[][]> {
  const heard: Sent[][] = [];
  standIn.failNotices({ kind: "lost", times: 999 });
  for (const happens of happenings) {
    const from = standIn.notices.length;
    await happens();
    heard.push(standIn.notices.slice(from).map((_, at) => ({ index: from + at })));
  }
  standIn.mend();
  return heard;
}

/** Delivers notices in an order. None is an error of the merchant's. */
export async function deliver(standIn: StandIn, order: readonly Sent[]): Promise<void> {
  for (const { index, fault } of order) {
    const status = await standIn.resend(index, fault);
    assert.ok(status !== null && status < 500, `${standIn.notices[index]?.about}: ${status}`);
  }
}

/** As many as there are, filled up to four with repeats of the last. */
const fourOf = <Item>(items: readonly Item[]): Item[] => {
  const last = items.at(-1);
  assert.ok(last !== undefined, "something was sent");
  return [...items.slice(0, 4), ...Array.from({ length: Math.max(0, 4 - items.length) }, () => last)];
};

/** Kinds of the entries that a payment, its refunds and its reversals have made, in the order of their names. */
const entriesOf = async ({ api, shop }: Stage, reference: string): Promise<string[]> =>
  (
    await api.query<{ kind: string }>(
      `select e.kind from journal_entries e join transactions t on t.organisation_id = e.organisation_id and t.reference = $2
        where e.organisation_id = $1 and (e.subject = t.reference
           or e.subject in (select id from refunds r where r.organisation_id = t.organisation_id and r.transaction_id = t.id)
           or e.subject in (select id from reversals r where r.organisation_id = t.organisation_id and r.transaction_id = t.id))
        order by e.kind`,
      shop.organisation.id,
      reference,
    )
  ).map(({ kind }) => kind);

/** A payer who tries on one page, with one outcome after the other. Those that the page does not offer are left out. */
async function tries(stage: Stage, url: string, outcomes: readonly string[]) {
  const { reference, location } = await start(stage, url);
  const page = await reach(stage.api, location);
  const decide = (outcome: string) => (): Promise<Decided | null> =>
    page.outcomes.includes(outcome) ? page.decide(outcome) : Promise.resolve(null);
  return { reference, heard: await happenUnheard(stage, ...outcomes.map(decide)) };
}

const paymentOrders: Journey = {
  name: "undecided, declined, paid and another amount come to one payment, whatever their order",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn } = stage;
    const url = String((await addLink(stage, { singleUse: false }))["url"]);
    for (const order of permutations([0, 1, 2, 3])) {
      const { reference, heard } = await tries(stage, url, ["pending", "failed", "paid"]);
      const [pending = [], failed = [], paid = []] = heard;
      const genuine = paid.map((sent) => ({ ...sent, fault: { kind: "other amount", amount: 10_000 } as const }));
      const other = paid.map((sent) => ({ ...sent, fault: { kind: "other amount", amount: 9999 } as const }));
      const news = [pending.length > 0 ? pending : genuine, failed.length > 0 ? failed : genuine, genuine, other];
      const flags = standIn.signs ? ["notification_mismatch"] : [];
      for (const repeated of [order, order.toReversed()]) {
        await deliver(
          standIn,
          repeated.flatMap((one) => news[one] ?? []),
        );
        await expectPayment(stage, reference, { status: "complete", amount: 100, flags });
        assert.deepEqual(await entriesOf(stage, reference), ["payment"], order.join());
      }
    }
  },
};

const unpaidOrders: Journey = {
  name: "undecided, abandoned and declined come to the furthest of them, whatever their order",
  needs: ["onceOff"],
  async run(stage) {
    const url = String((await addLink(stage, { singleUse: false }))["url"]);
    // A payer who was declined may try again on some gateways' pages: the payment stays pending there, or while one of
    // its attempts is undecided.
    let ends: unknown = null;
    for (const order of permutations([0, 1, 2, 3])) {
      const { reference, heard } = await tries(stage, url, ["pending", "cancelled", "failed"]);
      const failed = heard[2] ?? [];
      // A gateway that tells nobody of a payer who was declined.
      if (failed.length === 0) return;
      await deliver(
        stage.standIn,
        order.flatMap((one) => heard[one] ?? failed),
      );
      ends ??= (await shown(stage, reference))["status"];
      const runs = heard[0]?.length === 0 || inBooks(stage, reference).some(({ status }) => status === "pending");
      assert.ok(ends === "failed" || (ends === "pending" && runs), String(ends));
      await expectPayment(stage, reference, { status: ends, flags: [] });
      assert.deepEqual(await entriesOf(stage, reference), []);
    }
  },
};

const refundOrders: Journey = {
  name: "a refund that fails and one that is made come to the same, whatever the order of their notices",
  needs: ["refund"],
  async run(stage) {
    const { standIn } = stage;
    const { endsRefund } = standIn.acts;
    if (!endsRefund) return;
    for (const order of permutations([0, 1, 2, 3])) {
      const { reference } = await pay(stage);
      const paid = standIn.notices.length - 1;
      const ends = async (amount: number, outcome: "failed" | "processed") => {
        const asked = await refund(stage, reference, amount);
        assert.equal(asked.status, 201, asked.text);
        await endsRefund(reference, outcome);
      };
      const [first = [], second = []] = await happenUnheard(
        stage,
        () => ends(40, "failed"),
        () => ends(35, "processed"),
      );
      const news =
        first.length + second.length < 4 ? [...first, ...second, ...first, ...second] : [...first, ...second];
      const four = fourOf(news);
      assert.equal(news.length, 4, "each notice is in every order");
      for (const repeated of [order, order.toReversed()]) {
        await deliver(
          standIn,
          repeated.map((at) => four[at] as Sent),
        );
        await deliver(standIn, [{ index: paid }]);
        await expectPayment(stage, reference, { status: "partially_refunded", flags: ["refund_failed"] });
        const { refunds } = await shown(stage, reference);
        assert.partialDeepStrictEqual(refunds, [{ amount: 35, status: "processed" }]);
        assert.equal((refunds as unknown[]).length, 1);
        assert.deepEqual(await entriesOf(stage, reference), ["payment", "refund", "refund", "refund_reversal"]);
      }
    }
  },
};

const reversalOrders: Journey = {
  name: "a payment and what a bank takes back of it come to one reversal, whatever their order",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn } = stage;
    const { reverses } = standIn.acts;
    if (!reverses) return;
    const url = String((await addLink(stage, { singleUse: false }))["url"]);
    for (const order of permutations([0, 1, 2, 3])) {
      const { reference, heard } = await tries(stage, url, ["paid"]);
      const paid = heard[0] ?? [];
      // Unsigned notices are verified by a query, which no longer confirms the payment once it is taken back.
      if (!standIn.signs) await deliver(standIn, paid);
      const [taken = []] = await happenUnheard(stage, () => reverses(reference));
      const four = fourOf([...taken, ...paid]);
      assert.ok(taken.length + paid.length <= 4, "each notice is in every order");
      for (const repeated of [order, order.toReversed()])
        await deliver(
          standIn,
          repeated.map((at) => four[at] as Sent),
        );
      const payment = await shown(stage, reference);
      assert.partialDeepStrictEqual(payment, { status: "complete", reversals: [{ amount: 100 }] });
      assert.equal((payment["reversals"] as unknown[]).length, 1);
      assert.deepEqual(await entriesOf(stage, reference), ["payment", "reversal"]);
    }
  },
};

/** What the lines of a statement say on four days of a debit for Friday, 5 March: the second business day after it is the third of them. */
const DAYS = ["2027-03-06", "2027-03-08", "2027-03-09", "2027-03-10"];
const COUNTS_AT = 2;

const debitOrders: Journey = {
  name: "lines that say collected and returned come to the same debit, on whichever days they are read",
  needs: ["debitOrders"],
  async run(stage) {
    const { endsDebit, standsOnStatement } = stage.standIn.acts;
    assert.ok(endsDebit && standsOnStatement, "debits have lines");
    const orders = permutations(["collected", "collected", "returned", "returned"] as const);
    const mandates: Shown[] = [];
    for (const _ of orders) mandates.push(await addActiveMandate(stage, { debitDay: 5, amount: 350.5 }));
    const batch = await gathered(stage, "2027-03-05");
    assert.equal((await submit(stage, batch)).status, 200);
    await stage.move("2027-03-02T10:00:00Z");
    const references = mandates.map((mandate) => `${mandate["accountReference"]}-20270305`);
    for (const [at, day] of DAYS.entries()) {
      for (const [one, order] of orders.entries()) standsOnStatement(references[one] ?? "", order[at] ?? "collected");
      await stage.move(`${day}T10:00:00Z`);
    }
    await stage.move("2027-03-20T10:00:00Z");
    for (const [one, order] of orders.entries()) {
      const reference = references[one] ?? "";
      const { status, reversals = [] } = await shown(stage, reference);
      const counted = order.indexOf("returned") > COUNTS_AT;
      const [end, entries] = counted
        ? [
            ["complete", 1],
            ["payment", "reversal"],
          ]
        : [["failed", 0], []];
      assert.deepEqual([status, (reversals as unknown[]).length], end, order.join());
      assert.deepEqual(await entriesOf(stage, reference), entries);
    }
  },
};

const mandateOrders: Journey = {
  name: "what is said of an electronic mandate comes to what its payer decided, whatever the order",
  needs: ["eMandate"],
  async run(stage) {
    const { standIn } = stage;
    const orders = permutations([0, 1, 2, 3]);
    for (const [outcome, status, tried] of [
      ["accepted", "active", [orders[0], orders[23]]],
      ["rejected", "cancelled", orders.filter((order) => order.indexOf(0) < order.indexOf(3))],
    ] as const)
      for (const order of tried) {
        const mandate = await addMandate(stage, { authority: "emandate", debitDay: 5 });
        const page = await reach(stage.api, String(mandate["eMandateUrl"]));
        const [said = []] = await happenUnheard(stage, () => page.decide(outcome));
        const [sent] = said;
        assert.ok(sent && order);
        const forged = { ...sent, fault: { kind: "forged" } } as const;
        const half = { ...sent, fault: { kind: "half" } } as const;
        const four = [sent, forged, half, sent];
        await deliver(
          standIn,
          order.map((at) => four[at] as Sent),
        );
        assert.equal((await mandateNow(stage, mandate))["status"], status, `${outcome} ${order.join()}`);
      }
  },
};

export const ORDER_JOURNEYS: readonly Journey[] = [
  paymentOrders,
  unpaidOrders,
  refundOrders,
  reversalOrders,
  debitOrders,
  mandateOrders,
];
