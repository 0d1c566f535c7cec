import { isDeepStrictEqual } from "node:util";
import type { Decimal } from "../../kernel/decimal.ts";
import { invalidField } from "../../kernel/errors.ts";
import { exemption } from "../../kernel/exemption.ts";
import { cents, toRand } from "../../kernel/money.ts";
import { nextBill } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import type { Item, Outcome, Price } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { AskedItem } from "../../modules/customer-subscriptions/schema/changes.ts";
import { findPackage, findPlan, findPlanByCode } from "../../modules/packages/store.ts";
import type { Package, Plan } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";

/** The largest total of an invoice. */
const TOTAL_MAX = cents(1_000_000_000_00);
const ONE = "1" as Decimal;
const NONE = "0" as Decimal;

/** A plan as a request body names it: `plan` is an id or a code. */
export interface NamedPlan {
  readonly planId: string | null;
  readonly plan: string | null;
}

/** The field of the request body that names the plan. */
export const planField = ({ planId }: NamedPlan): string => (planId === null ? "plan" : "planId");

/**
 * The plan that a request body names, with its package. Throws 400 when there is none, and when it or its package is
 * disabled, unless `isAllowed` permits it.
 */
export async function planNamed(
  tx: Tx,
  named: NamedPlan,
  isAllowed: (plan: Plan) => boolean = () => false,
): Promise<{ plan: Plan; parent: Package }> {
  const name = named.planId ?? named.plan ?? "";
  const plan = (await findPlan(tx, name)) ?? (named.planId === null ? await findPlanByCode(tx, name) : null);
  const parent = plan && (await findPackage(tx, plan.packageId));
  if (!plan || !parent) throw invalidField([planField(named)], "No such plan.");
  if (!(plan.enabled && parent.enabled) && !isAllowed(plan))
    throw invalidField([planField(named)], "The plan or its package is disabled. Enable it, or choose another plan.");
  return { plan, parent };
}

/** The plan's present price. */
export const priceOf = (plan: Plan): Price => ({
  id: plan.versionId,
  planId: plan.id,
  name: plan.name,
  currency: plan.currency,
  amount: plan.amount,
  frequency: plan.frequency,
  setupFee: plan.setupFee,
  cycles: plan.cycles,
  taxRate: plan.taxRate,
  ...exemption(plan.taxExempt),
  taxInclusive: plan.taxInclusive,
  ...(plan.datedRates && { datedRates: plan.datedRates }),
});

/**
 * The item in a request body at `path`: a new one, or `known` with other fields. The usage of a new metered item begins
 * at zero. Throws 400 for a missing field of a new item, an amount below zero unless the item is one-time, a quantity
 * of zero, and an amount above the largest invoice.
 */
export function itemAsked(asked: AskedItem, known: Item | null, path: readonly (string | number)[]): Item {
  const kind = asked.kind ?? known?.kind;
  const description = asked.description ?? known?.description;
  const unitAmount = asked.unitAmount ?? known?.unitAmount;
  const required = (field: string) => invalidField([...path, field], "is required for a new item");
  if (kind === undefined) throw required("kind");
  if (description === undefined) throw required("description");
  if (unitAmount === undefined) throw required("unitAmount");
  if (kind !== "one_time" && unitAmount.startsWith("-"))
    throw invalidField([...path, "unitAmount"], "must be at least 0; only a one_time item may be a credit");
  const same = known?.kind === kind ? known : null;
  const base = { id: same?.id ?? newId("csi"), code: asked.code ?? known?.code ?? null, description };
  const usage = same?.kind === "metered" ? same.usage : NONE;
  const quantity = asked.quantity ?? (same === null || same.kind === "metered" ? ONE : same.quantity);
  if (kind !== "metered" && Number(quantity) === 0) throw invalidField([...path, "quantity"], "must be greater than 0");
  const item = { ...base, kind, unitAmount, ...(kind === "metered" ? { usage } : { quantity }) } as Item;
  requireItemSize(item, path);
  return item;
}

/** Throws 400 when an item alone exceeds the largest invoice. */
export function requireItemSize(item: Item, path: readonly (string | number)[]): void {
  const quantity = Number(item.kind === "metered" ? item.usage : item.quantity);
  if (quantity * Math.abs(Number(item.unitAmount)) > toRand(TOTAL_MAX)) throw invalidField(path, tooMuch());
}

const tooMuch = () => `The total of a period must be at most ${toRand(TOTAL_MAX)}.`;

/**
 * The items of a request body that lists them all. An item with the code of a known one replaces that one's fields; an
 * item without a code that equals a known one is that one. Throws 400 as `itemAsked`.
 */
export function itemsAsked(asked: readonly AskedItem[], known: readonly Item[]): readonly Item[] {
  const left = known.filter(({ code }) => code === null);
  return asked.map((one, place) => {
    const same = one.code === null ? null : (known.find(({ code }) => code === one.code) ?? null);
    const item = itemAsked(one, same, ["items", place]);
    const equal = item.code === null ? left.findIndex((other) => saysTheSame(item, other)) : -1;
    return left.splice(equal, equal < 0 ? 0 : 1)[0] ?? item;
  });
}

/** Whether two items differ only in their ids and usage. */
function saysTheSame(one: Item, other: Item): boolean {
  const of = ({ id: _id, ...item }: Item) => (item.kind === "metered" ? { ...item, usage: NONE } : item);
  return isDeepStrictEqual(of(one), of(other));
}

/** Throws 400 about a field when a bill would exceed the largest invoice. */
export function requireBillable({ bills, after }: Pick<Outcome, "bills" | "after">, field = "quantity"): void {
  const shown = [after.terms, ...(after.pendingChange ? [after.pendingChange] : [])].map(regularPrice);
  const totals = [...shown, ...bills, nextBill(after)].map((one) => one?.total ?? 0);
  if (totals.some((total) => total > TOTAL_MAX)) throw invalidField([field], tooMuch());
}
