import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { ApiMerchant, StaffCall } from "../support/api.ts";
import { openCardShop, postForm } from "../support/cards.ts";
import {
  type Chaos,
  type Done,
  dayIn,
  fewOf,
  inDays,
  kept,
  type Operations,
  openChaos,
  play,
} from "../support/chaos.ts";
import { type Played, playGateway } from "../support/chaos-gateway.ts";
import type { ShownSubscription } from "../support/customer-subscriptions.ts";
import { mandateBody } from "../support/mandates.ts";
import { CREDENTIALS, notify, reportedReversal } from "../support/payments.ts";
import { faultsOf } from "../support/verified.ts";

/*
 * As chaos.invoices.db.test.ts, for customer subscriptions of every collection method, their invoices, cards, mandates
 * and payments, while the clock moves through renewals, debit days and retries. No report of the gateway is lost.
 */

const TURNS = 1_000;
/** How far the clock is moved, each time beside an equal part of the turns. */
const DAYS = [1, 3, 9, 2, 16, 1, 3, 5, 8, 3, 1, 2, 20, 4];
const START = Date.parse("2027-03-01T10:00:00.000Z");
const METHODS = ["gateway", "debit_order", "gateway", "invoice", "gateway", "manual"] as const;

interface Stage {
  readonly chaos: Chaos;
  readonly shop: ApiMerchant;
  readonly account: GatewayAccount;
  readonly played: Played;
  readonly customers: string[];
  readonly subscriptions: string[];
  readonly mandates: string[];
  readonly batches: string[];
  readonly plans: string[];
  readonly packageId: string;
  /** Of the clock, after `START`. */
  day: number;
  /** The newest invoices of subscriptions. */
  invoices(): Promise<string[]>;
  /** The newest payments of a status, by their references. */
  payments(...statuses: string[]): Promise<string[]>;
}

type Acts = Operations<Stage>;
const act = (stage: Stage, which: number, action: string, call: StaffCall, body?: unknown): Promise<Done> =>
  call("POST", `/customer-subscriptions/${fewOf(stage.subscriptions, which)}/${action}`, body);

const SUBSCRIPTIONS: Acts = {
  create({ customers, subscriptions, plans, day }, { which, other }, call) {
    const body = {
      customer: { id: fewOf(customers, which) },
      planId: fewOf(plans, other),
      collectionMethod: METHODS[which % METHODS.length],
      externalReference: `sub ${which % 12}`,
      quantity: 1 + (other % 3),
      ...(other % 4 === 1 ? { couponCode: "SPRING" } : {}),
      ...(other % 7 === 1 ? { trialDays: 3 } : {}),
      ...(other % 7 === 2 ? { billingAnchorDay: 1 + (which % 28) } : {}),
      ...(other % 7 === 3 ? { startDate: dayIn(day + 20, START) } : {}),
      items: [
        { kind: "metered", code: "c0", description: "Calls", unitAmount: 1 },
        { kind: "addon", code: "c1", description: "Seat", unitAmount: 5 },
      ],
    };
    return kept(subscriptions, call("POST", "/customer-subscriptions", body));
  },
  changePlan(stage, { which, other }, call) {
    const body = {
      ...(other % 2 ? { planId: fewOf(stage.plans, which + other) } : { quantity: 1 + (other % 5) }),
      proration: ["none", "now", "now", "next_renewal"][other % 4],
      invoiceNow: other % 3 > 0,
    };
    return act(stage, which, "change-plan", call, body);
  },
  dropChange: ({ subscriptions }, { which }, call) =>
    call("DELETE", `/customer-subscriptions/${fewOf(subscriptions, which)}/pending-change`),
  addItem(stage, { which, other }, call) {
    const kind = ["addon", "metered", "one_time"][other % 3];
    const body = { kind, code: `c${1 + (other % 3)}`, description: "Seat", unitAmount: 5 + (which % 20) };
    return act(stage, which, "items", call, body);
  },
  changeItem({ subscriptions }, { which, other }, call) {
    const path = `/customer-subscriptions/${fewOf(subscriptions, which)}/items/c${1 + (other % 2)}`;
    return other % 3 ? call("PATCH", path, { unitAmount: 1 + (which % 20) }) : call("DELETE", path);
  },
  use: (stage, { which, other }, call) => act(stage, which, "items/c0/usage", call, { quantity: 1 + (other % 5) }),
  credit: (stage, { which, other }, call) =>
    act(stage, which, "credit", call, { amount: 1 + (other % 90), description: "Sorry" }),
  discount: (stage, { which, other }, call) =>
    act(stage, which, "discount", call, { percent: 1 + (other % 50), description: "Sorry" }),
  pause: (stage, { which, other }, call) => act(stage, which, other % 3 ? "pause" : "resume", call),
  resume: (stage, { which }, call) => act(stage, which, "resume", call),
  cancel: (stage, { which, other }, call) =>
    act(stage, which, "cancel", call, { when: other % 3 ? "period_end" : "now", reason: "Enough" }),
  reactivate: (stage, { which, other }, call) =>
    act(stage, which, "reactivate", call, other % 3 ? undefined : { nextBillingAt: dayIn(stage.day + 9, START) }),
  async retry({ subscriptions }, { which }, call) {
    const { body } = await call<{ data: { id: string }[] }>("GET", "/customer-subscriptions?status=past_due");
    const missed = body.data.map(({ id }) => id);
    const id = fewOf(missed.length > 0 ? missed : subscriptions, which);
    return call("POST", `/customer-subscriptions/${id}/retry`);
  },
  patch({ subscriptions, day }, { which, other }, call) {
    const body =
      other % 2 ? { nextBillingAt: dayIn(day + (other % 9), START) } : { externalReference: `sub ${other % 12}` };
    return call("PATCH", `/customer-subscriptions/${fewOf(subscriptions, which)}`, body);
  },
};

const MONEY: Acts = {
  payOffline: async ({ invoices }, { which, other }, call) =>
    call("POST", `/invoices/${fewOf(await invoices(), which)}/payments`, { amount: 1 + (other % 150), method: "eft" }),
  cancelInvoice: async ({ invoices }, { which }, call) =>
    call("POST", `/invoices/${fewOf(await invoices(), which)}/cancel`, { reason: "Wrong" }),
  correct: async ({ invoices }, { which, other }, call) =>
    call("POST", "/credit-notes", {
      invoiceId: fewOf(await invoices(), which),
      amount: 1 + (other % 60),
      reason: "Wrong",
    }),
  giveCredit: ({ customers }, { which, other }, call) =>
    call("POST", "/credit-notes", { customerId: fewOf(customers, which), amount: 1 + (other % 60), reason: "Sorry" }),
  /** Begins the payment of an invoice on its page, at the gateway or by a saved card. */
  async pay({ chaos, account, invoices, customers }, { which, other }, call) {
    const invoice = await call<{ payUrl: string | null }>("GET", `/invoices/${fewOf(await invoices(), which)}`);
    const { payUrl } = invoice.body;
    if (!payUrl) return { status: 404 };
    if (other % 3) return postForm(chaos.api, payUrl, { gateway: account.id });
    const cards = await call<{ data: { id: string }[] }>("GET", `/customers/${fewOf(customers, which)}/cards`);
    return postForm(chaos.other, `${payUrl}/card/${cards.body.data?.[0]?.id ?? "none"}`, { action: "confirm" });
  },
  charge({ customers }, { which, other }, call) {
    const body = { amount: 5 + (other % 40), description: "Fees", externalReference: `charge ${other % 9}` };
    return call("POST", `/customers/${fewOf(customers, which)}/cards/default/charges`, body);
  },
  async report({ chaos, account, played, payments }, { which, other }) {
    const reference = fewOf(await payments("pending"), which);
    const payment = played.decide(reference, other % 4 ? "complete" : other % 8 ? "failed" : "cancelled");
    return payment ? notify(chaos.other, account, { payment }) : { status: 404 };
  },
  async reverse({ chaos, account, played, payments }, { which }) {
    const reference = fewOf(await payments("complete"), which);
    const payment = played.payments.get(reference);
    if (payment?.status !== "complete") return { status: 404 };
    const { amount, currency } = payment;
    return notify(chaos.other, account, { reversal: reportedReversal(reference, { amount, currency } as object) });
  },
  refund: async ({ payments }, { which, other }, call) =>
    call("POST", `/transactions/${fewOf(await payments("complete"), which)}/refunds`, {
      amount: 1 + (other % 20),
      method: other % 3 ? "gateway" : "manual",
    }),
};

const MANDATES: Acts = {
  async mandate({ subscriptions, mandates }, { which, other }, call) {
    const path = `/customer-subscriptions/${fewOf(subscriptions, which)}`;
    const { body } = await call<ShownSubscription & { customer?: { id: string } }>("GET", path);
    const given = {
      authority: "offline",
      confirmOfflineMandate: true,
      debitDay: 1 + (other % 28),
      amount: 100,
      ...(body["collectionMethod"] === "debit_order" ? { subscriptionId: body.id } : {}),
    };
    return kept(mandates, call("POST", "/mandates", mandateBody({ customer: body.customer?.id ?? "none" }, given)));
  },
  changeMandate({ mandates }, { which, other }, call) {
    const body = [{ status: "paused" }, { status: "active" }, { amount: 90 }, { debitDay: 9 }, { status: "cancelled" }];
    return call("PATCH", `/mandates/${fewOf(mandates, which)}`, body[other % body.length]);
  },
  gather: ({ batches, day }, { other }, call) =>
    kept(batches, call("POST", "/debit-batches", { actionDate: dayIn(day + 3 + (other % 5), START) })),
  submit: ({ batches }, { which }, call) => call("POST", `/debit-batches/${fewOf(batches, which)}/submit`),
};

const OTHERS: Acts = {
  customer: ({ customers }, { which }, call) =>
    kept(
      customers,
      call("POST", "/customers", { externalReference: `ref ${which % 4}`, email: `c${which % 3}@example.org` }),
    ),
  patchCustomer({ customers }, { which, other }, call) {
    const body = { externalReference: `ref ${other % 4}`, ...(other % 3 ? {} : { active: which % 4 > 0 }) };
    return call("PATCH", `/customers/${fewOf(customers, which)}`, body);
  },
  erase: ({ customers }, { which, other }, call) =>
    other % 8 ? Promise.resolve({ status: 200 }) : call("POST", `/customers/${fewOf(customers, which)}/erase`),
  async card({ customers }, { which, other }, call) {
    const path = `/customers/${fewOf(customers, which)}/cards`;
    const { body } = await call<{ data: { id: string }[] }>("GET", path);
    const id = fewOf(
      (body.data ?? []).map((card) => card.id),
      other,
    );
    return other % 4 ? call("POST", `${path}/${id}/default`) : call("DELETE", `${path}/${id}`);
  },
  plan: ({ plans, packageId }, { which, other }, call) =>
    call("PATCH", `/packages/${packageId}/plans/${fewOf(plans, which)}`, { amount: 80 + (other % 40) }),
  settings: (_stage, { which, other }, call) =>
    call("PATCH", "/settings", {
      dueDays: which % 5,
      chargeDefaultCardWhenDue: other % 2 > 0,
      dunning: { retryDays: [1 + (which % 2), 4], finalAction: other % 3 ? "past_due" : "cancel" },
    }),
};

const STAFF_ONLY = new Set([...["correct", "giveCredit", "refund", "gather", "submit", "erase", "plan", "settings"]]);
const OFTEN = [
  "create",
  "create",
  "changePlan",
  "reactivate",
  "resume",
  "pay",
  "pay",
  "report",
  "report",
  "report",
  "mandate",
  "retry",
  "retry",
];

async function openStage(chaos: Chaos): Promise<Stage> {
  const { api, gateway } = chaos;
  const played = playGateway(gateway);
  const { shop, account, staff, customer } = await openCardShop(api, {}, { credentials: CREDENTIALS });
  const made = async (path: string, body: object) => {
    const answer = await staff<{ id: string }>("POST", path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const packageId = await made("/packages", { name: "Hosting" });
  const plans: string[] = [];
  for (const [name, amount] of [
    ["Gold", 100],
    ["Silver", 60],
    ["Year", 900],
  ] as const) {
    const frequency = name === "Year" ? "annually" : "monthly";
    plans.push(await made(`/packages/${packageId}/plans`, { name, amount, frequency, taxInclusive: true }));
  }
  await made("/coupons", { code: "SPRING", name: "Spring", percent: 10 });
  const ids = async (what: string, ...values: unknown[]) =>
    (await api.query<{ id: string }>(`${what} order by t.id desc limit 8`, shop.organisation.id, ...values)).map(
      ({ id }) => id,
    );
  return {
    chaos,
    shop,
    account,
    played,
    customers: [customer],
    subscriptions: [],
    mandates: [],
    batches: [],
    plans,
    packageId,
    day: 0,
    invoices: () =>
      ids(
        "select t.id from invoices t where t.organisation_id = $1 and t.cycle is not null and (t.status in ('sent', 'overdue', 'partially_paid') or random() < 0.1)",
      ),
    payments: (...statuses) =>
      ids(
        "select t.reference as id from transactions t where t.organisation_id = $1 and t.status = any ($2)",
        statuses,
      ),
  };
}

test("subscriptions, many at once over few records", { timeout: 250_000 }, async (t) => {
  const chaos = await openChaos(t, { standIn: true });
  const stage = await openStage(chaos);
  const { shop, account, played } = stage;
  const { key } = await shop.addKey(["charge_saved_cards"]);
  const staff = await shop.signIn();
  const operations = { ...SUBSCRIPTIONS, ...MONEY, ...MANDATES, ...OTHERS };
  const beside = DAYS.map((days) => () => {
    stage.day += days;
    return staff("POST", "/test-clock", { now: inDays(stage.day, START) });
  });
  await play(chaos, {
    beside,
    merchant: shop,
    key,
    stage,
    operations,
    often: OFTEN,
    staffOnly: STAFF_ONLY,
    turns: TURNS,
    atOnce: 8,
  });

  for (const payment of played.payments.values())
    assert.equal((await notify(chaos.api, account, { payment })).status, 200);
  const moved = await staff("POST", "/test-clock", { now: inDays(stage.day + 3, START) });
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(chaos.complaints, []);
  const lost = await chaos.api.query<{ reference: string }>(
    "select reference from transactions where organisation_id = $1 and reference = any ($2) and status in ('pending', 'failed', 'cancelled')",
    shop.organisation.id,
    [...played.payments.values()].filter(({ status }) => status === "complete").map(({ reference }) => reference),
  );
  assert.deepEqual(lost, [], "what the gateway has been paid is paid");
  assert.deepEqual(await faultsOf(chaos.api), []);
});
