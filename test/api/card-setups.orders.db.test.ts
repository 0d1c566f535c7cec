import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import { openApi, type TestApi } from "../support/api.ts";
import {
  addSetup,
  begin,
  type CardShop,
  cardsNow,
  eventsOf,
  openCardShop,
  type Shown,
  setupNow,
} from "../support/cards.ts";
import { CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

// What the books, the session and the cards come to does not depend on the order of the gateway's notifications.

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const STATUSES = ["pending", "complete", "failed", "cancelled"] as const;

/** Every order of the statuses. */
function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

const card: Payment["card"] = {
  token: "sct_0123456789abcdef01234567_4242",
  brand: "visa",
  last4: "4242",
  expiryMonth: 8,
  expiryYear: 2031,
  holderName: null,
  fingerprint: "sbf_4242",
};

/** What is left when all notifications have come. */
async function outcome(stage: CardShop, setup: Shown, reference: string) {
  const { status, failureReason } = await setupNow(stage, setup);
  const notes = (await stage.shop.get<{ data: Shown[] }>("/credit-notes")).body.data;
  const lines = await api.query<{ account: string; cents: number }>(
    `select l.account, sum(l.amount_cents)::int as cents from journal_lines l where l.organisation_id = $1 group by l.account order by 1`,
    stage.shop.organisation.id,
  );
  return {
    session: [status, failureReason],
    payment: (await stage.shop.get(`/transactions/${reference}`)).body["status"],
    cards: (await cardsNow(stage)).map(({ last4, status: state, isDefault }) => [last4, state, isDefault]),
    credited: notes.map(({ amount, transactionReference }) => [amount, transactionReference === reference]),
    lines: lines.map(({ account, cents }) => [account, cents]),
    added: (await eventsOf(stage, "customer.payment_method.added")).length,
  };
}

for (const order of ordersOf(STATUSES))
  test(`${order.join(", ")}, each twice at once: one card, one credit, one set of books`, async () => {
    const stage = await openCardShop(api, {}, { credentials: CREDENTIALS });
    const setup = await addSetup(stage);
    const { reference } = await begin(stage, String(setup["url"]));
    for (const status of order) {
      const payment = reportedPayment(reference, status, { amount: 100, card: status === "complete" ? card : null });
      const answers = await Promise.all([1, 2].map(() => notify(api, stage.account, { payment })));
      assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    }
    assert.deepEqual(await outcome(stage, setup, reference), {
      session: ["completed", null],
      payment: "complete",
      cards: [["4242", "active", true]],
      credited: [[1, true]],
      lines: [
        ["customer_credit", -100],
        ["gateway_clearing", -290],
        ["gateway_fees", 390],
        ["revenue", 0],
      ],
      added: 1,
    });
  });
