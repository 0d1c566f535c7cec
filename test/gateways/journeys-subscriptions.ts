import assert from "node:assert/strict";
import type { Shown } from "../support/cards.ts";
import type { Journey, Stage } from "./journeys.ts";
import { expectPayment, pay, shown } from "./journeys.ts";
import { deliver, happenUnheard, permutations } from "./journeys-orders.ts";

const LINK = { recurring: { frequency: "monthly" }, singleUse: false };

/** Begins a monthly subscription of 100.00; answers its id and its first payment's reference. */
async function begun(stage: Stage): Promise<{ id: string; reference: string }> {
  const { reference } = await pay(stage, { link: LINK });
  const { subscriptionId } = await shown(stage, reference);
  assert.ok(subscriptionId, "a subscription has begun");
  return { id: String(subscriptionId), reference };
}

const now = async ({ shop }: Stage, id: string): Promise<Shown> => (await shop.get(`/subscriptions/${id}`)).body;
const charges = async ({ shop }: Stage, id: string): Promise<Shown[]> =>
  (await shop.get<{ data: Shown[] }>(`/subscriptions/${id}/charges`)).body.data;
const act = ({ shop }: Stage, id: string, action: string, body?: object) =>
  shop.call("POST", `/subscriptions/${id}/${action}`, body === undefined ? {} : { body });

const renews: Journey = {
  name: "a subscription begins, is collected, misses a collection, and is collected again",
  needs: ["recurring"],
  async run(stage) {
    const { id, reference } = await begun(stage);
    await expectPayment(stage, reference, { status: "complete", type: "recurring" });
    assert.partialDeepStrictEqual(await now(stage, id), { status: "active", frequency: "monthly", amount: 100 });
    // Of two reports with one time it is not known which is the newer one.
    const collect = async (second: number, outcome: "paid" | "declined") => {
      stage.standIn.setNow(new Date(Date.parse("2027-03-01T10:00:00Z") + second * 1000));
      await stage.standIn.acts.renews?.(reference, outcome);
    };
    await collect(1, "paid");
    await collect(2, "declined");
    assert.equal((await now(stage, id))["status"], "past_due");
    await collect(3, "paid");
    assert.equal((await now(stage, id))["status"], "active");
    const made = await charges(stage, id);
    assert.deepEqual(
      made.map(({ status }) => status),
      ["complete", "failed", "complete", "complete"],
    );
    assert.equal(new Set(made.map((charge) => charge["reference"])).size, 4);
    const last = stage.standIn.notices.length - 1;
    for (const index of [last, last - 1, last - 2]) assert.equal(await stage.standIn.resend(index), 200);
    assert.equal((await charges(stage, id)).length, 4, "what is repeated is collected once");
  },
};

const pauses: Journey = {
  name: "a subscription is paused and resumed, or the gateway cannot",
  needs: ["recurring"],
  async run(stage) {
    const { id, reference } = await begun(stage);
    const inBooks = () => stage.standIn.acts.subscription?.(reference)?.status;
    if (!stage.can.has("pause")) {
      for (const action of ["pause", "resume"]) {
        const { status, body } = await act(stage, id, action);
        assert.deepEqual([status, body["error"]], [409, "unsupported"]);
      }
      return;
    }
    for (const [action, status] of [
      ["pause", "paused"],
      ["pause", "paused"],
      ["resume", "active"],
      ["resume", "active"],
    ] as const) {
      const answer = await act(stage, id, action);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([(await now(stage, id))["status"], inBooks()], [status, status]);
    }
  },
};

const changes: Journey = {
  name: "a subscription's amount and date change in place, where the gateway can",
  needs: ["recurring", "changeAmount"],
  async run(stage) {
    const { id, reference } = await begun(stage);
    const amount = await act(stage, id, "update", { amount: 125.5 });
    assert.equal(amount.status, 200, amount.text);
    assert.equal(stage.standIn.acts.subscription?.(reference)?.amount, 12_550);
    if (stage.can.has("changeDate")) {
      const date = await act(stage, id, "update", { nextDate: "2027-04-20" });
      assert.equal(date.status, 200, date.text);
      assert.equal(stage.standIn.acts.subscription?.(reference)?.nextDate, "2027-04-20");
    }
    await stage.standIn.acts.renews?.(reference, "paid");
    const [latest] = await charges(stage, id);
    assert.partialDeepStrictEqual(latest, { status: "complete", amount: 125.5 });
  },
};

const ends: Journey = {
  name: "a subscription is cancelled by the merchant, and another one at the gateway",
  needs: ["recurring", "cancel"],
  async run(stage) {
    const mine = await begun(stage);
    const theirs = await begun(stage);
    const answer = await act(stage, mine.id, "cancel");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(stage.standIn.acts.subscription?.(mine.reference)?.status, "cancelled");
    assert.equal((await now(stage, mine.id))["status"], "cancelled");
    assert.equal((await now(stage, theirs.id))["status"], "active");
    const sent = stage.standIn.notices.length;
    await stage.standIn.acts.endsSubscription?.(theirs.reference);
    assert.equal((await now(stage, theirs.id))["status"], "cancelled");
    // The notices of both ends, again, with a third subscription that runs.
    const third = await begun(stage);
    for (let index = sent; index < stage.standIn.notices.length; index++)
      assert.equal(await stage.standIn.resend(index), 200);
    assert.equal((await now(stage, third.id))["status"], "active");
  },
};

const unclearAction: Journey = {
  name: "an action on a subscription whose answer is lost ends as it is at the gateway",
  needs: ["recurring", "cancel"],
  async run(stage) {
    const { id, reference } = await begun(stage);
    stage.standIn.failAnswers({ kind: "silence", done: true, times: 3 });
    await act(stage, id, "cancel");
    await stage.move("2027-03-01T14:00:00Z");
    await act(stage, id, "cancel");
    assert.equal((await now(stage, id))["status"], "cancelled");
    assert.equal(stage.standIn.acts.subscription?.(reference)?.status, "cancelled");
  },
};

const startsHigher: Journey = {
  name: "a subscription whose first payment is another amount collects its own, and ends when it is cancelled",
  needs: ["recurring", "cancel"],
  async run(stage) {
    const link = { amount: 250, singleUse: false, recurring: { frequency: "monthly", amount: 100 } };
    const { reference } = await pay(stage, { link });
    const id = String((await shown(stage, reference))["subscriptionId"]);
    await expectPayment(stage, reference, { status: "complete", amount: 250 });
    await stage.move("2027-03-01T10:30:00Z");
    const { acts } = stage.standIn;
    assert.partialDeepStrictEqual(acts.subscription?.(reference), { status: "active", amount: 10_000 });
    await acts.renews?.(reference, "paid");
    const [latest] = await charges(stage, id);
    assert.partialDeepStrictEqual(latest, { status: "complete", amount: 100 });
    assert.equal((await act(stage, id, "cancel")).status, 200);
    assert.equal(acts.subscription?.(reference)?.status, "cancelled");
  },
};

const orders: Journey = {
  name: "a beginning, two collections and an end come to the same in every order of their notifications",
  needs: ["recurring", "cancel"],
  async run(stage) {
    const { standIn } = stage;
    for (const [at, order] of permutations([0, 1, 2, 3]).entries()) {
      let reference = "";
      const heard = await happenUnheard(
        stage,
        async () => ({ reference } = await pay(stage, { link: LINK })),
        () => standIn.acts.renews?.(reference, "paid"),
        () => standIn.acts.renews?.(reference, "declined"),
        () => standIn.acts.endsSubscription?.(reference),
      );
      await deliver(
        standIn,
        order.flatMap((one) => heard[one] ?? []),
      );
      // What came before the beginning is applied by due work.
      await stage.move(`2027-03-01T10:${30 + at}:00Z`);
      const { subscriptionId, status } = await shown(stage, reference);
      const made = await charges(stage, String(subscriptionId));
      assert.deepEqual(
        [
          status,
          made.map((charge) => charge["status"]).toSorted(),
          (await now(stage, String(subscriptionId)))["status"],
        ],
        ["complete", ["complete", "complete", "failed"], "cancelled"],
        order.join(),
      );
    }
  },
};

export const SUBSCRIPTION_JOURNEYS: readonly Journey[] = [
  startsHigher,
  renews,
  pauses,
  changes,
  ends,
  unclearAction,
  orders,
];
