import assert from "node:assert/strict";
import type { Capability } from "../../src/gateways/contract.ts";
import type { CardShop, Shown } from "../support/cards.ts";
import { openPage } from "../support/cards.ts";
import { CARD_JOURNEYS } from "./journeys-cards.ts";
import { DEBIT_JOURNEYS } from "./journeys-debits.ts";
import { ORDER_JOURNEYS } from "./journeys-orders.ts";
import { SUBSCRIPTION_JOURNEYS } from "./journeys-subscriptions.ts";
import { decideAt, pressPay } from "./payer.ts";
import type { StandIn, StandInProtocol } from "./stand-in.ts";

/** A merchant with an account at the stand-in, whose clock stands at 2027-03-01. */
export interface Stage extends CardShop {
  readonly standIn: StandIn;
  readonly can: ReadonlySet<string>;
}

/** What a merchant does, run over every gateway that can. */
export interface Journey {
  readonly name: string;
  readonly needs: readonly Capability[];
  /** Whether the gateway's protocol has what it is about; default: always. */
  appliesTo?(protocol: StandInProtocol): boolean;
  run(stage: Stage): Promise<void>;
}

/** Names with what encodings, forms and signatures get wrong, each within every gateway's lengths. */
const NAMES = ['Thandeka & Søn + 100% "Q\'wabe"', "Môrester ’n Zoë š~!*()", "uNtombi 😀 isiXhosa"];

/** A payment link of 100.00. */
export async function addLink({ shop }: Stage, fields: object = {}): Promise<Shown> {
  const body = { title: "Deposit", amount: 100, customerEmail: "thandi@example.co.za", ...fields };
  const answer = await shop.post("/payment-links", body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Starts a payment on the link's page; answers its reference and where the browser is led. */
export async function start(stage: Stage, url: string): Promise<{ reference: string; location: string }> {
  const { api, account, shop } = stage;
  const location = await pressPay(api, url, { gateway: account.id, email: "thandi@example.co.za" });
  const [row] = await api.query<{ reference: string }>(
    "select reference from transactions where organisation_id = $1 order by id desc limit 1",
    shop.organisation.id,
  );
  return { reference: row?.reference ?? "", location };
}

/** Pays a link of its own; answers the reference and where the payer came back to. */
export async function pay(
  stage: Stage,
  {
    outcome = "paid",
    link = {},
    values = {},
  }: { outcome?: string; link?: object; values?: Record<string, string> } = {},
) {
  const { url } = await addLink(stage, link);
  const { reference, location } = await start(stage, String(url));
  return { reference, url: String(url), back: (await decideAt(stage.api, location, outcome, values)).location };
}

/** The transaction, as the API shows it. */
export const shown = async ({ shop }: Stage, reference: string): Promise<Shown> =>
  (await shop.get(`/transactions/${reference}`)).body;

/** Asserts some fields of the transaction. */
export async function expectPayment(stage: Stage, reference: string, fields: Shown): Promise<void> {
  assert.partialDeepStrictEqual(await shown(stage, reference), fields);
}

/** What stands in the gateway's books under the references. */
export const inBooks = ({ standIn }: Stage, reference: string) =>
  standIn.payments().filter((payment) => payment.reference === reference);

const PAID = { status: "complete", amount: 100 };

const paysAndComesBack: Journey = {
  name: "a payment is made; the payer comes back to a page that says so",
  needs: ["onceOff"],
  async run(stage) {
    const { reference, back } = await pay(stage);
    await expectPayment(stage, reference, PAID);
    const first = await openPage(stage.api, back);
    // A gateway that knows one address for all payments leads the payer on from there.
    const page = first.status === 303 ? await openPage(stage.api, String(first.headers["location"])) : first;
    assert.equal(page.status, 200, page.text.slice(0, 2000));
    assert.match(page.text, /<h1[^>]*>[^<]*(paid|received|thank|complete)/i);
    assert.deepEqual(
      inBooks(stage, reference).map(({ status, amount }) => [status, amount]),
      [["paid", 10_000]],
    );
  },
};

const names: Journey = {
  name: "names with signs, accents and emoji go to the gateway and come back",
  needs: ["onceOff"],
  async run(stage) {
    for (const name of [...NAMES, "x".repeat(100), "é😀".repeat(50)]) {
      const { reference } = await pay(stage, { link: { title: name } });
      await expectPayment(stage, reference, PAID);
    }
  },
};

const leaves: Journey = {
  name: "a payer who leaves, or is declined, pays at the second attempt",
  needs: ["onceOff"],
  async run(stage) {
    for (const outcome of ["cancelled", "failed"]) {
      const { reference, url, back } = await pay(stage, { outcome });
      const page = await openPage(stage.api, back);
      assert.ok(page.status === 200 || page.status === 303, `${outcome}: ${page.status}`);
      assert.notEqual((await shown(stage, reference))["status"], "complete");
      const second = await start(stage, url);
      await decideAt(stage.api, second.location, "paid");
      await expectPayment(stage, second.reference, PAID);
      assert.notEqual((await shown(stage, reference))["status"], "complete");
    }
  },
};

const lost: Journey = {
  name: "a payment whose notification was lost is found by asking",
  needs: ["onceOff"],
  async run(stage) {
    stage.standIn.failNotices({ kind: "lost", times: 9 });
    const { reference, back } = await pay(stage);
    stage.standIn.mend();
    await openPage(stage.api, back);
    await stage.move("2027-03-01T11:00:00Z");
    await expectPayment(stage, reference, PAID);
    // It comes after all.
    assert.equal(await stage.standIn.resend(stage.standIn.notices.length - 1), 200);
    await expectPayment(stage, reference, PAID);
  },
};

const repeated: Journey = {
  name: "notifications that come twice, late, and in another order move a payment once",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn, api } = stage;
    const before = standIn.notices.length;
    standIn.failNotices({ kind: "twice" });
    const first = await pay(stage);
    standIn.failNotices({ kind: "late" });
    const second = await pay(stage, { outcome: "failed" });
    const third = await start(stage, second.url);
    await decideAt(api, third.location, "paid");
    await standIn.release();
    const sent = standIn.notices.map((_, index) => index).slice(before);
    for (const index of [...sent.toReversed(), ...sent]) assert.equal(await standIn.resend(index), 200);
    for (const { reference } of [first, third]) {
      await expectPayment(stage, reference, { ...PAID, flags: [] });
      const entries = await api.query("select from journal_entries where subject = $1", reference);
      assert.equal(entries.length, 1, "one payment is one entry");
    }
    assert.notEqual((await shown(stage, second.reference))["status"], "complete");
  },
};

const forged: Journey = {
  name: "notifications that are forged or cut move nothing, and the genuine one does",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn } = stage;
    standIn.failNotices({ kind: "lost", times: 9 });
    const { reference } = await pay(stage, { outcome: "paid" });
    standIn.mend();
    const last = standIn.notices.length - 1;
    for (const kind of ["forged", "half"] as const) {
      const status = await standIn.resend(last, { kind });
      // A gateway that signs nothing is asked instead, and what it confirms is true.
      if (standIn.signs) {
        assert.equal(status, 400, kind);
        assert.notEqual((await shown(stage, reference))["status"], "complete", kind);
      } else assert.ok([200, 400, 503].includes(status ?? 0), `${kind}: ${status}`);
    }
    assert.equal(await standIn.resend(last), 200);
    await expectPayment(stage, reference, { ...PAID, flags: [] });
  },
};

const otherAmount: Journey = {
  name: "a genuine notification of another amount is kept and flagged, not applied",
  needs: ["onceOff"],
  appliesTo: ({ signs = true }) => signs,
  async run(stage) {
    const { standIn } = stage;
    // The last would be the amount that was asked, if it were rounded.
    for (const amount of [9_999, 10_001, 1_000_000, 10_000.4]) {
      standIn.failNotices({ kind: "other amount", amount, times: 9 });
      const { reference } = await pay(stage);
      standIn.mend();
      const payment = await shown(stage, reference);
      assert.notEqual(payment["status"], "complete", `${amount}`);
      assert.deepEqual(payment["flags"], ["notification_mismatch"]);
    }
  },
};

/** Statuses of a refund, or of its end, that the gateway decides later. */
export const refund = (stage: Stage, reference: string, amount?: number) =>
  stage.staff<Shown>("POST", `/transactions/${reference}/refunds`, amount === undefined ? {} : { amount });

const refunds: Journey = {
  name: "a payment is refunded in part, then the rest, and not more",
  needs: ["refund"],
  async run(stage) {
    const { standIn } = stage;
    const { reference } = await pay(stage);
    const part = await refund(stage, reference, 40);
    assert.equal(part.status, 201, part.text);
    await standIn.acts.endsRefund?.(reference, "processed");
    await expectPayment(stage, reference, { status: "partially_refunded" });
    const more = await refund(stage, reference, 60.01);
    assert.equal(more.status, 400, more.text);
    const rest = await refund(stage, reference);
    assert.equal(rest.status, 201, rest.text);
    await standIn.acts.endsRefund?.(reference, "processed");
    await expectPayment(stage, reference, { status: "refunded" });
    assert.deepEqual(
      inBooks(stage, reference).map((payment) => payment.refunded),
      [10_000],
    );
  },
};

const unclearRefund: Journey = {
  name: "a refund whose answer is lost is not made twice",
  needs: ["refund"],
  async run(stage) {
    const { standIn } = stage;
    for (const kind of ["silence", "error", "half"] as const) {
      const { reference } = await pay(stage);
      standIn.failAnswers({ kind, done: true, on: standIn.refundCall });
      const asked = await refund(stage, reference, 40);
      assert.ok([201, 502].includes(asked.status), asked.text);
      for (const hour of ["12:00", "16:00", "23:00"]) await stage.move(`2027-03-01T${hour}:00Z`).catch(() => undefined);
      await stage.move(`2027-03-0${{ silence: 2, error: 3, half: 4 }[kind]}T10:00:00Z`);
      assert.deepEqual(
        inBooks(stage, reference).map(({ refunded }) => refunded),
        [4000],
        kind,
      );
      const { status } = await shown(stage, reference);
      assert.ok(status === "complete" || status === "partially_refunded", String(status));
    }
  },
};

const unsentRefund: Journey = {
  name: "a refund before which the gateway fails is refused and never sent, and can be made later",
  needs: ["refund"],
  appliesTo: ({ beforeRefund }) => beforeRefund !== undefined,
  async run(stage) {
    const { standIn } = stage;
    const on = standIn.beforeRefund ?? assert.fail("a call before each refund");
    const { reference } = await pay(stage);
    for (const kind of ["silence", "error", "garbled"] as const) {
      standIn.failAnswers({ kind, on, times: 9 });
      const asked = await refund(stage, reference, 40);
      standIn.mend();
      assert.deepEqual([asked.status, asked.body["error"]], [502, "gateway_error"], asked.text);
      await expectPayment(stage, reference, { status: "complete", refundedAmount: 0, refunds: [] });
    }
    await stage.move("2027-03-03T10:00:00Z");
    const refunded = () => inBooks(stage, reference).map((payment) => payment.refunded);
    assert.deepEqual(refunded(), [0]);
    assert.equal((await refund(stage, reference)).status, 201);
    assert.deepEqual(refunded(), [10_000]);
  },
};

const refundFails: Journey = {
  name: "refunds that were accepted fail later, and are told twice: the money is the merchant's again, once",
  needs: ["refund"],
  async run(stage) {
    const { standIn } = stage;
    if (!standIn.acts.endsRefund) return;
    const { reference } = await pay(stage);
    assert.equal((await refund(stage, reference, 40)).status, 201);
    await expectPayment(stage, reference, { status: "partially_refunded" });
    await standIn.acts.endsRefund(reference, "failed");
    await expectPayment(stage, reference, { status: "complete", flags: ["refund_failed"] });
    const last = standIn.notices.length - 1;
    // Two refunds of one amount: a gateway that names neither is asked about both.
    assert.equal((await refund(stage, reference, 40)).status, 201);
    await standIn.acts.endsRefund(reference, "processed");
    assert.equal(await standIn.resend(last), 200);
    await stage.move("2027-03-03T10:00:00Z");
    await expectPayment(stage, reference, { status: "partially_refunded" });
    assert.deepEqual(
      inBooks(stage, reference).map(({ refunded }) => refunded),
      [4000],
    );
  },
};

const takenBack: Journey = {
  name: "a bank takes a payment back: told twice, it is one reversal",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn } = stage;
    if (!standIn.acts.reverses) return;
    const { reference } = await pay(stage);
    await standIn.acts.reverses(reference);
    await standIn.resend(standIn.notices.length - 1);
    const { status, reversals } = await shown(stage, reference);
    assert.equal(status, "complete");
    assert.partialDeepStrictEqual(reversals, [{ amount: 100 }]);
    assert.equal((reversals as unknown[]).length, 1);
  },
};

const disputeWon: Journey = {
  name: "a payer disputes a payment, and the merchant wins: the payment stays, and staff are told once of each step",
  needs: ["onceOff"],
  async run(stage) {
    const { standIn, api } = stage;
    if (!standIn.acts.winsDispute) return;
    const { reference } = await pay(stage);
    const before = standIn.notices.length;
    await standIn.acts.winsDispute(reference);
    const sent = standIn.notices.map((_, index) => index).slice(before);
    for (const index of [...sent.toReversed(), ...sent]) assert.equal(await standIn.resend(index), 200);
    const { status, reversals = [], flags } = await shown(stage, reference);
    assert.equal(status, "complete");
    assert.deepEqual([reversals, flags], [[], ["disputed"]], "what was taken is given back");
    const mails = await api.query<{ alert: string }>(
      `select facts ->> 'alert' as alert from emails where kind = 'staff_alert' and (about = $1 or about in (
         select d.id from disputes d join transactions t on t.organisation_id = d.organisation_id and t.id = d.transaction_id
          where t.reference = $1)) order by 1`,
      reference,
    );
    const [{ given } = { given: false }] = await api.query<{ given: boolean }>(
      `select count(*) > 0 as given from reversals w
         join transactions t on t.organisation_id = w.organisation_id and t.id = w.transaction_id where t.reference = $1`,
      reference,
    );
    // A gateway that takes the money when a dispute is opened reports a reversal, any other a dispute.
    assert.deepEqual(
      mails.map(({ alert }) => alert),
      given ? ["dispute_given_back", "dispute_opened"] : ["dispute_opened", "dispute_won"],
    );
  },
};

export const JOURNEYS: readonly Journey[] = [
  paysAndComesBack,
  names,
  leaves,
  lost,
  repeated,
  forged,
  otherAmount,
  refunds,
  unclearRefund,
  unsentRefund,
  refundFails,
  takenBack,
  disputeWon,
  ...SUBSCRIPTION_JOURNEYS,
  ...CARD_JOURNEYS,
  ...DEBIT_JOURNEYS,
  ...ORDER_JOURNEYS,
];
