import { addDecimals } from "../../kernel/decimal.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { withTerms } from "../../modules/customer-subscriptions/rules/planner/terms.ts";
import type { Item, Metered, Subscription } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { AskedItem, SubscriptionUsageBody } from "../../modules/customer-subscriptions/schema/changes.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { ITEMS_MAX, type ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { lockForAction, requireCollected, requireNotEnded, updated } from "./act-on-subscription.ts";
import { isCountedAlike, itemAsked, requireBillable, requireItemSize } from "./asked-terms.ts";

/** A subscription before an action and after it. */
type Acted = Promise<{ before: ShownSubscription; after: ShownSubscription }>;

/**
 * Adds an item, billed from the next period's bill on (interface 4.8, items); a change that waits for the renewal gets
 * it too. Locks as `lockForAction`. Throws 404; 400 for an invalid item and for more than 100; 409
 * `external_subscription` for an item that only the service could bill; 409 `invalid_state` when the subscription has
 * ended.
 */
export async function addItem(tx: Tx, ctx: Ctx, id: string, asked: AskedItem): Acted {
  const before = await lockForAction(tx, ctx, id);
  const item = itemAsked(asked, null, []);
  requireOwnCode(before, item);
  if (listsOf(before).some(({ length }) => length >= ITEMS_MAX))
    throw invalid(`A subscription has at most ${ITEMS_MAX} items.`);
  requireItemsChange(before, item);
  return edited(tx, ctx, before, "unitAmount", (items) => [...items, item]);
}

/**
 * Changes an item, named by its id or code, from the next period's bill on. Its kind stays. Locks and throws as
 * `addItem`; 404 for an unknown item.
 */
export async function changeItem(
  tx: Tx,
  ctx: Ctx,
  { id, item: name }: { readonly id: string; readonly item: string },
  asked: AskedItem,
): Acted {
  const before = await lockForAction(tx, ctx, id);
  const known = itemNamed(before, name);
  if (asked.kind !== null && asked.kind !== known.kind)
    throw invalidField(["kind"], "The kind of an item stays. Add another item, and remove this one.");
  if (known.kind === "metered" && asked.quantity !== null)
    throw invalidField(["quantity"], "The quantity of a metered item is its usage, which is recorded with /usage.");
  const item = itemAsked(asked, known, []);
  if (item.kind === "metered" && !isCountedAlike(known, item))
    throw invalidField(
      [asked.aggregation === null ? "uniqueBy" : "aggregation"],
      "How an item counts stays. Add another item, and remove this one.",
    );
  requireOwnCode(before, item);
  requireItemsChange(before, item);
  return edited(tx, ctx, before, "quantity", (items) =>
    items.map((one) => (one.id === known.id ? itemAsked(asked, one, []) : one)),
  );
}

/**
 * Removes an item, named by its id or code; the next bill charges its usage so far. Locks and throws as `changeItem`.
 */
export async function removeItem(
  tx: Tx,
  ctx: Ctx,
  { id, item: name }: { readonly id: string; readonly item: string },
): Acted {
  const before = await lockForAction(tx, ctx, id);
  const known = itemNamed(before, name);
  requireNotEnded(before);
  return edited(tx, ctx, before, "quantity", (items) => items.filter((one) => one.id !== known.id));
}

/**
 * Records the usage of a metered item since the last bill: as the total, or as an increment (interface 4.8, usage).
 * Usage after a renewal belongs to the next bill. Locks as `lockForAction`. Throws 404; 400 for an item that is not
 * metered, and for a total above the largest invoice; 409 `external_subscription`; 409 `invalid_state` when the
 * subscription has ended.
 */
export async function recordUsage(
  tx: Tx,
  ctx: Ctx,
  { id, item: name }: { readonly id: string; readonly item: string },
  { quantity, action }: SubscriptionUsageBody,
): Acted {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  const known = itemNamed(before, name);
  if (known.kind !== "metered") throw invalid("Usage is recorded of metered items only.");
  requireNotEnded(before);
  const { counting, ...rest } = known;
  const { late: _late, ...counted } = counting ?? {};
  const item: Metered =
    action === "set"
      ? { ...rest, usage: quantity, ...(counting && { counting: counted }) }
      : { ...known, usage: addDecimals(known.usage, quantity) };
  requireItemSize(item, ["quantity"]);
  const { terms } = before.state;
  const items = terms.items.map((one) => (one.id === item.id ? item : one));
  const state = { ...before.state, terms: { ...terms, items } };
  requireBillable({ bills: [], after: state }, "quantity");
  const after = { ...before, state, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  return { before, after };
}

/** The item with this id or code. Throws 404. */
function itemNamed({ state: { terms } }: ShownSubscription, name: string): Item {
  const found = terms.items.find(({ id, code }) => id === name || code === name);
  if (!found) throw notFound("item");
  return found;
}

/** The present items, and those of the pending change. */
const listsOf = ({ state: { terms, pendingChange } }: ShownSubscription) =>
  [terms, ...(pendingChange ? [pendingChange] : [])].map(({ items }) => items);

function requireOwnCode(of: ShownSubscription, { id, code }: Item): void {
  if (
    code !== null &&
    listsOf(of)
      .flat()
      .some((one) => one.code === code && one.id !== id)
  )
    throw invalidField(["code"], "Another item of the subscription has this code.");
}

function requireItemsChange(of: ShownSubscription, { kind }: Item): void {
  if (kind !== "addon") requireCollected(of);
  requireNotEnded(of);
}

/** The subscription with other items, also in the change that waits for its renewal. */
function edited(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  field: string,
  edit: (items: readonly Item[]) => readonly Item[],
): { before: ShownSubscription; after: ShownSubscription } {
  const { terms, pendingChange } = before.state;
  const { sub } = withTerms(before.state, { ...terms, items: edit(terms.items) }, calendarDay(ctx.now));
  const pending = pendingChange && { ...pendingChange, items: edit(pendingChange.items) };
  const state: Subscription = { ...sub, pendingChange: pending };
  requireBillable({ bills: [], after: state }, field);
  return { before, after: updated(tx, ctx, before, state) };
}
