import type { Ctx } from "../../src/flows/context.ts";
import { createCoupon } from "../../src/flows/coupons/coupon-steps.ts";
import { billSubscriptions } from "../../src/flows/customer-subscriptions/bill-subscription.ts";
import { changeSubscription } from "../../src/flows/customer-subscriptions/change-subscription.ts";
import { createSubscription } from "../../src/flows/customer-subscriptions/create-subscription.ts";
import { giveCredit, giveDiscount } from "../../src/flows/customer-subscriptions/give-reduction.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { collectInvoice } from "../../src/flows/dunning/collect-invoice.ts";
import type { Services } from "../../src/flows/services.ts";
import type { CustomerSubscriptionId } from "../../src/kernel/ids.ts";
import { addDays, addSeconds, calendarDay, DAY_SECONDS } from "../../src/kernel/time.ts";
import { CouponCreate } from "../../src/modules/coupons/schema.ts";
import {
  SubscriptionChange,
  SubscriptionCredit,
  SubscriptionDiscount,
} from "../../src/modules/customer-subscriptions/schema/changes.ts";
import { CustomerSubscriptionCreate } from "../../src/modules/customer-subscriptions/schema/subscriptions.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
} from "../../src/modules/customer-subscriptions/store/subscriptions.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds subscriptions to the plan `fixed` of `addCatalogue`: `billed`, of two periods, `ahead`, whose first bill is to
 * come, and `tried`, in its trial.
 */
export async function addCustomerSubscriptions(services: Services, ctx: Ctx): Promise<void> {
  const { db } = services;
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(ctx.organisation.id, work);
  const { customer } = await write((tx) =>
    upsertCustomer(tx, ctx, CustomerBody.parse({ email: "member@example.com" })),
  );
  const asked = { customer: { id: customer.id }, plan: "fixed", collectionMethod: "invoice" };
  const add = (fields: object) =>
    write((tx) => createSubscription(tx, ctx, CustomerSubscriptionCreate.parse({ ...asked, ...fields })));
  const items = [{ kind: "one_time", description: "Welcome", unitAmount: -10 }];
  // The first period ends tomorrow, so that no invoice of this organisation is overdue.
  const billingAnchorDay = Number(addDays(calendarDay(ctx.now), 1).slice(8));
  const { subscription } = await add({ externalReference: "billed", items, billingAnchorDay });
  await add({ externalReference: "ahead", paidThrough: "2035-01-01" });
  await add({ externalReference: "tried", trialDays: 30 });
  const later: Ctx = { ...ctx, now: addSeconds(ctx.now, DAY_SECONDS) };
  await write(async (tx) => {
    const locked = await lockCustomerSubscription(tx, subscription.id);
    if (locked) await billSubscriptions(tx, later, [locked]);
  });
  await addRich(services, ctx, customer.id);
  await addMissed(services, later, (at) => write((tx) => createSubscription(tx, ctx, collected(customer.id, at))));
}

/** `rich`: with an add-on, usage, a coupon, a credit, a discount and a change that waits for its renewal. */
async function addRich({ db }: Services, ctx: Ctx, customer: string): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(ctx.organisation.id, work);
  await write((tx) =>
    createCoupon(tx, ctx, CouponCreate.parse({ code: "RICH", percent: 10, duration: "cycles", cycles: 3 })),
  );
  const body = CustomerSubscriptionCreate.parse({
    customer: { id: customer },
    plan: "fixed",
    collectionMethod: "invoice",
    externalReference: "rich",
    couponCode: "RICH",
    quantity: 2,
    items: [
      { code: "seats", kind: "addon", description: "Seats", unitAmount: 5, quantity: 3 },
      { code: "data", kind: "metered", description: "Data", unitAmount: 0.5 },
    ],
  });
  const { subscription } = await write((tx) => createSubscription(tx, ctx, body));
  await write((tx) =>
    giveCredit(tx, ctx, subscription.id, SubscriptionCredit.parse({ amount: 7, description: "Sorry" })),
  );
  await write((tx) =>
    giveDiscount(tx, ctx, subscription.id, SubscriptionDiscount.parse({ percent: 5, description: "Gift" })),
  );
  const change = SubscriptionChange.parse({ plan: "repriced", proration: "next_renewal" });
  await write((tx) => changeSubscription(tx, ctx, subscription.id, change));
}

/** `uncollected`: collected from a card that its customer does not have; one attempt failed, and a retry is to come. */
async function addMissed(
  services: Services,
  later: Ctx,
  create: (paidThrough: string) => Promise<{ subscription: { readonly id: CustomerSubscriptionId } }>,
): Promise<void> {
  const { id: organisation } = later.organisation;
  const { subscription } = await create(calendarDay(later.now));
  const invoice = await services.db.transaction(organisation, async (tx) => {
    await billSubscriptions(tx, later, [subscription.id]);
    return (await findCustomerSubscription(tx, subscription.id, calendarDay(later.now)))?.openInvoice?.id;
  });
  await collectInvoice(services, later, invoice ?? "");
}

const collected = (customer: string, paidThrough: string) =>
  CustomerSubscriptionCreate.parse({
    customer: { id: customer },
    plan: "fixed",
    collectionMethod: "gateway",
    externalReference: "uncollected",
    paidThrough,
  });

const of = (reference: string) => `(select id from customer_subscriptions where external_reference = '${reference}')`;
const state = (reference: string, path: string, value: string) =>
  `update customer_subscriptions set state = jsonb_set(state, '{${path}}', '${value}') where external_reference = '${reference}'`;
const bill = (cycle: number) =>
  `(select id from customer_subscription_bills where customer_subscription_id = ${of("billed")} and cycle = ${cycle})`;
const changed = (cycle: number, columns: string) =>
  `update customer_subscription_bills set ${columns} where id = ${bill(cycle)}`;

/** A move of a period's end that did not happen. */
const entry = (cause: string, cycle: number, cents: number) =>
  `insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, bill_id, amount_cents, created_at)
   select organisation_id, 'cse_planted', customer_subscription_id, 'csd_planted', '${cause}', id, ${cents}, now() from customer_subscription_bills where id = ${bill(cycle)}`;
const movedEnd = (cycle: number) =>
  `insert into customer_subscription_moves select organisation_id, 'csm_${cycle}', customer_subscription_id, cycle, period_next, period_next + 30, created_at
     from customer_subscription_bills where id = ${bill(cycle)}`;

const COLLECTION = `(select invoice_id from subscription_collections where customer_subscription_id = ${of("uncollected")})`;
const ATTEMPT = `(select id from collection_attempts where customer_subscription_id = ${of("uncollected")})`;
const ASTRAY = `update collection_attempts set transaction_id = (select min(id) from transactions where paid_at is not null and invoice_id is null)`;

/** Of what `addCustomerSubscriptions` made: at least one for every rule about subscriptions and their bills. */
export const CUSTOMER_SUBSCRIPTION_FAULTS: readonly PlantedFault[] = [
  ["customer_subscriptions.subscription_cycles", of("billed"), state("billed", "cyclesBilled", "3")],
  [
    "customer_subscriptions.subscription_cycles",
    of("billed"),
    `delete from customer_subscription_bills where id = ${bill(1)}`,
  ],
  ["customer_subscriptions.subscription_period", of("billed"), state("billed", "period,next", '"2031-01-01"')],
  ["customer_subscriptions.subscription_period_start", of("billed"), state("billed", "period,start", '"2021-01-01"')],
  [
    "customer_subscriptions.subscription_status",
    of("tried"),
    "update customer_subscriptions set status = 'scheduled' where external_reference = 'tried'",
  ],
  ["customer_subscriptions.subscription_moves", of("billed"), state("billed", "periodMoves", '"when_paid"')],
  [
    "customer_subscriptions.subscription_card",
    of("ahead"),
    "update customer_subscriptions set card_id = (select min(id) from cards) where external_reference = 'ahead'",
  ],
  ["customer_subscriptions.subscription_pending_price", of("rich"), state("rich", "pendingChange,price,setupFee", "1")],
  [
    "customer_subscriptions.subscription_redemption",
    of("rich"),
    `update coupon_redemptions set percent = 11 where subject = ${of("rich")}`,
  ],
  [
    "coupons.coupon_redeemed_for",
    "(select id from coupons where code = 'RICH')",
    state("rich", "coupon,id", '"cpn_other"'),
  ],
  ["customer_subscriptions.subscription_plan", of("ahead"), state("ahead", "terms,price,id", '"plv_other"')],
  [
    "customer_subscriptions.subscription_pending_plan",
    of("ahead"),
    "update customer_subscriptions set pending_plan_id = plan_id where external_reference = 'ahead'",
  ],
  ["customer_subscriptions.subscription_price", of("ahead"), state("ahead", "terms,price,amount", "10001")],
  ["customer_subscriptions.subscription_price", of("ahead"), state("ahead", "terms,price,taxExempt", "true")],
  [
    "customer_subscriptions.subscription_next_due",
    of("ahead"),
    "update customer_subscriptions set next_due = next_due + 1 where external_reference = 'ahead'",
  ],
  [
    "customer_subscriptions.subscription_awaited",
    of("ahead"),
    `delete from due_work where kind = 'customer_subscription.bill' and subject = ${of("ahead")}`,
  ],
  [
    "customer_subscriptions.subscription_trial_notice",
    of("tried"),
    `delete from due_work where kind = 'customer_subscription.trial_ending' and subject = ${of("tried")}`,
  ],
  ["customer_subscriptions.subscription_period", of("billed"), movedEnd(2)],
  ["customer_subscription_bills.bill_follows", bill(2), movedEnd(1)],
  [
    "customer_subscriptions.subscription_credits",
    of("billed"),
    `delete from customer_subscription_credits where customer_subscription_id = ${of("billed")}`,
  ],
  [
    "customer_subscriptions.subscription_credits",
    of("ahead"),
    state("ahead", "credits", '[{"id": "csd_1", "description": "Gift", "amount": 500}]'),
  ],
  ["customer_subscriptions.subscription_coupon", of("billed"), state("billed", "coupon", '{"id": "cpn_1", "used": 3}')],
  [
    "customer_subscriptions.subscription_coupon",
    of("billed"),
    state("billed", "coupon", '{"id": "cpn_1", "used": 2, "limit": 1, "planIds": null}'),
  ],
  ["customer_subscriptions.subscription_coupon_first", of("rich"), state("rich", "coupon,first", "true")],
  [
    "customer_subscriptions.subscription_mrr",
    of("ahead"),
    "update customer_subscriptions set mrr_cents = mrr_cents + 1 where external_reference = 'ahead'",
  ],
  [
    "customer_subscriptions.subscription_movements",
    of("ahead"),
    `delete from customer_subscription_movements where customer_subscription_id = ${of("ahead")}`,
  ],
  [
    "customer_subscription_bills.bill_lines_reasoned",
    bill(1),
    changed(1, "lines = jsonb_set(lines, '{0,reason,less}', '[]')"),
  ],
  ["customer_subscription_bills.bill_lines_tax", bill(2), changed(2, "lines = jsonb_set(lines, '{0,tax}', '1')")],
  [
    "customer_subscription_bills.bill_line_rate",
    bill(2),
    changed(2, "lines = jsonb_set(lines, '{0,taxRate}', '\"14\"')"),
  ],
  ["customer_subscription_bills.bill_total", bill(2), changed(2, "subtotal_cents = subtotal_cents + 1")],
  ["customer_subscription_bills.bill_follows", bill(2), changed(2, "period_start = period_start + 1")],
  [
    "customer_subscription_bills.bill_invoice_lines",
    bill(2),
    changed(2, "lines = jsonb_set(lines, '{0,description}', '\"x\"')"),
  ],
  [
    "customer_subscription_bills.bill_invoice_lines",
    bill(2),
    changed(2, "lines = jsonb_set(lines, '{0,taxExempt}', 'true')"),
  ],
  [
    "customer_subscription_bills.bill_credit_returned",
    bill(2),
    `${changed(2, `lines = jsonb_set(lines, '{0,reason,less}', '[{"by": "credit", "id": "csd_x", "amount": 5}]')`)};
     update invoices set status = 'cancelled' where id = (select invoice_id from customer_subscription_bills where id = ${bill(2)})`,
  ],
  ["customer_subscription_bills.bill_credit_returned", bill(2), entry("returned", 2, 5)],
  ["customer_subscription_bills.bill_given_back", bill(2), entry("billed", 2, 99_999_999)],
  [
    "customer_subscription_bills.bill_given_back_once",
    bill(2),
    `${entry("billed", 2, 5)}; update customer_subscription_credits set gross_cents = 99999999 where bill_id = ${bill(2)}`,
  ],
  [
    "customer_subscription_bills.bill_given_back_cancelled",
    bill(2),
    `update invoices set cancelled_at = '2000-01-01' where id = (select invoice_id from customer_subscription_bills where id = ${bill(2)}); ${entry("billed", 2, 5)}`,
  ],
  ["customer_subscription_bills.bill_invoiced", bill(2), changed(2, "invoice_id = null")],
  ["customer_subscription_bills.bill_invoice", bill(2), changed(2, "total_cents = total_cents + 1")],
  [
    "customer_subscription_bills.bill_invoice",
    bill(2),
    `update invoices set charge = 'first' where id = (select invoice_id from customer_subscription_bills where id = ${bill(2)})`,
  ],
  [
    "subscription_collections.collection_bill",
    "(select invoice_id from subscription_collections)",
    `update subscription_collections set customer_subscription_id = ${of("ahead")}`,
  ],
  [
    "subscription_collections.collection_method",
    COLLECTION,
    "update customer_subscriptions set collection_method = 'manual' where external_reference = 'uncollected'",
  ],
  ["subscription_collections.collection_retries", COLLECTION, "update subscription_collections set retries = 1"],
  [
    "subscription_collections.collection_card",
    COLLECTION,
    "update subscription_collections set new_card_id = (select min(id) from cards)",
  ],
  ["subscription_collections.collection_ended", COLLECTION, "update subscription_collections set ended = 'paid'"],
  [
    "invoices.missed",
    COLLECTION,
    `update invoices set missed_at = missed_at - interval '1 day' where id = ${COLLECTION}`,
  ],
  ["subscription_collections.collection_missed", COLLECTION, "update subscription_collections set missed_at = null"],
  [
    "subscription_collections.collection_taken_back",
    COLLECTION,
    "update subscription_collections set ended = 'taken_back'",
  ],
  [
    "subscription_collections.collection_awaited",
    COLLECTION,
    "delete from due_work where kind = 'customer_subscription.collect'",
  ],
  [
    "collection_attempts.attempt_subscription",
    "(select id from collection_attempts)",
    `update collection_attempts set customer_subscription_id = ${of("ahead")}`,
  ],
  ["collection_attempts.attempt_invoice", ATTEMPT, ASTRAY],
  ["collection_attempts.attempt_status", ATTEMPT, ASTRAY],
];
