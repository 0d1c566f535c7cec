import { appendEvents } from "../../events/outbox.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CUSTOMER_STANDING_CHANGED } from "../../modules/customers/declarations.ts";
import { standingOf } from "../../modules/customers/rules.ts";
import {
  type CustomerWithBalance,
  findWithBalance,
  lockWithBalance,
  saveStandings,
} from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { standingView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";

/**
 * Computes the customer's standing from the stored balances. If it differs from the stored one, stores it and appends
 * `customer.standing.changed` (interface 2.14). Called after each change of what the customer owes in `currency`; only
 * `DEFAULT_CURRENCY` counts. The caller has locked the customer's balance in that currency. Locks the customer, last in
 * `LOCK_ORDER`.
 */
export async function updateStanding(tx: Tx, ctx: Ctx, id: CustomerId, currency: string): Promise<void> {
  if (currency === DEFAULT_CURRENCY) await updateStandings(tx, ctx, [id]);
}

/** Like `updateStanding`, for many customers. The caller has locked their balances in `DEFAULT_CURRENCY`. */
export async function updateStandings(tx: Tx, ctx: Ctx, ids: readonly CustomerId[]): Promise<void> {
  if (ids.length > 0)
    saveChangedStandings(tx, ctx, await lockWithBalance(tx, ids, DEFAULT_CURRENCY, calendarDay(ctx.now)));
}

/**
 * Like `updateStanding`, for a customer that the caller has locked or inserted, after a change of the customer. Returns
 * the customer with the standing.
 */
export async function withUpdatedStanding(tx: Tx, ctx: Ctx, customer: Customer): Promise<Customer> {
  const found = await findWithBalance(tx, customer.id, DEFAULT_CURRENCY, calendarDay(ctx.now));
  const [changed] = found ? saveChangedStandings(tx, ctx, [{ ...found, customer }]) : [];
  return changed ?? customer;
}

/** Stores the standings that have changed and appends their events. Returns the changed customers. */
function saveChangedStandings(tx: Tx, ctx: Ctx, customers: readonly CustomerWithBalance[]): readonly Customer[] {
  const changed = customers
    .map(({ customer, owed }) => ({
      before: customer,
      owed,
      customer: { ...customer, standing: standingOf(customer, owed) },
    }))
    .filter(({ before, customer }) => customer.standing !== before.standing);
  if (changed.length === 0) return [];
  saveStandings(
    tx,
    changed.map(({ customer }) => customer),
  );
  const happened = changed.map(({ before, customer, owed }) => ({
    subject: customer.id,
    data: {
      ...standingView(customer, customer.standing, DEFAULT_CURRENCY, owed, ctx.now),
      previousStatus: before.standing,
    },
  }));
  appendEvents(tx, ctx.now, CUSTOMER_STANDING_CHANGED, happened);
  return changed.map(({ customer }) => customer);
}

/**
 * The customer's `account_standing` (interface 2.14), computed from the kept balances. Null when there is no such
 * customer.
 */
export async function readStanding(tx: Tx, ctx: Ctx, id: string) {
  const withBalance = await findWithBalance(tx, id, DEFAULT_CURRENCY, calendarDay(ctx.now));
  if (!withBalance) return null;
  const { customer, owed } = withBalance;
  return standingView(customer, standingOf(customer, owed), DEFAULT_CURRENCY, owed, ctx.now);
}
