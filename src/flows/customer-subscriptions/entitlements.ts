import { appendEvents } from "../../events/outbox.ts";
import { notFound } from "../../kernel/errors.ts";
import type { CustomerId, PlanId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import {
  CUSTOMER_ENTITLEMENTS,
  CUSTOMER_ENTITLEMENTS_CHANGED,
} from "../../modules/customer-subscriptions/declarations.ts";
import {
  type Entitlement,
  entitlementsOf,
  granted,
  grantTheSame,
} from "../../modules/customer-subscriptions/rules/entitlements.ts";
import {
  customersOfPlan,
  customersToEntitle,
  entitlingSubscriptions,
  saveTold,
  type Told,
} from "../../modules/customer-subscriptions/store/entitlements.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { findPlan } from "../../modules/packages/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

const shown = (customerId: CustomerId, data: readonly Entitlement[]) => ({
  object: "customer_entitlements" as const,
  customerId,
  data,
});

/** What a customer is entitled to now, from active and trialing subscriptions (interface 4.8). Throws 404. */
export async function readEntitlements(tx: Tx, ctx: Ctx, id: string) {
  const customer = await findCustomer(tx, id);
  if (!customer) throw notFound("customer");
  const entitling = await entitlingSubscriptions(tx, [customer.id], calendarDay(ctx.now));
  return shown(customer.id, entitlementsOf(entitling.get(customer.id) ?? []));
}

/**
 * A reaction to events about subscriptions and their invoices: asks to tell their customers what they are entitled to
 * now.
 */
export async function expectEntitlements(tx: Tx, ctx: Ctx, subjects: readonly string[]): Promise<void> {
  for (const customer of await customersToEntitle(tx, subjects)) enqueue(tx, CUSTOMER_ENTITLEMENTS, customer, ctx.now);
}

/** As `expectEntitlements`, for everyone who is subscribed to a plan whose features have changed. */
export async function expectEntitlementsOfPlan(tx: Tx, ctx: Ctx, plan: PlanId): Promise<null> {
  for (const customer of await customersOfPlan(tx, plan)) enqueue(tx, CUSTOMER_ENTITLEMENTS, customer, ctx.now);
  return null;
}

/** The plan of the work; null when it was deleted. Nothing is locked: the work only asks for other work. */
export const planOfWork = async (tx: Tx, id: string): Promise<PlanId | null> => (await findPlan(tx, id))?.id ?? null;

/**
 * Appends `customer.entitlements.changed` for the customers who are entitled to something else than they were told
 * last, and keeps what they are told. The caller has locked it.
 */
export async function announceEntitlements(tx: Tx, ctx: Ctx, told: readonly Told[]): Promise<void> {
  const entitling = await entitlingSubscriptions(
    tx,
    told.map(({ customer }) => customer),
    calendarDay(ctx.now),
  );
  const changed = told.flatMap(({ customer, entitlements: before }) => {
    const entitlements = entitlementsOf(entitling.get(customer) ?? []);
    return grantTheSame(before, entitlements) ? [] : [{ customer, entitlements }];
  });
  if (changed.length === 0) return;
  saveTold(
    tx,
    changed.map(({ customer, entitlements }) => ({ customer, entitlements: granted(entitlements) })),
  );
  appendEvents(
    tx,
    ctx.now,
    CUSTOMER_ENTITLEMENTS_CHANGED,
    changed.map(({ customer, entitlements }) => ({ subject: customer, data: shown(customer, entitlements) })),
  );
}
