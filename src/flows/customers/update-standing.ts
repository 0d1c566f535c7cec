import { appendEvents } from "../../events/outbox.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { businessDay } from "../../kernel/time.ts";
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
 * Compares how the customer stands by the books with what was last told, and sends `customer.standing.changed` when it
 * differs (interface 2.14). Call it after any change of what is owed in `currency`, whose balance the caller holds; another than the one that
 * standing is told in changes nothing. It locks the customer, which comes last (decision 93, lock order).
 */
export async function updateStanding(tx: Tx, ctx: Ctx, id: CustomerId, currency: string): Promise<void> {
  if (currency === DEFAULT_CURRENCY) await updateStandings(tx, ctx, [id]);
}

/** As `updateStanding`, of many customers together, whose balances in the currency that standing is told in the caller holds. */
export async function updateStandings(tx: Tx, ctx: Ctx, ids: readonly CustomerId[]): Promise<void> {
  if (ids.length > 0)
    saveChangedStandings(tx, ctx, await lockWithBalance(tx, ids, DEFAULT_CURRENCY, businessDay(ctx.now)));
}

/** As `updateStanding`, after a change of the customer, whom the caller has locked or made; answers them as they stand. */
export async function withUpdatedStanding(tx: Tx, ctx: Ctx, customer: Customer): Promise<Customer> {
  const found = await findWithBalance(tx, customer.id, DEFAULT_CURRENCY, businessDay(ctx.now));
  const [changed] = found ? saveChangedStandings(tx, ctx, [{ ...found, customer }]) : [];
  return changed ?? customer;
}

/** Saves and tells the standings that have changed; answers the customers of these, as they stand now. */
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
