import { isDeepStrictEqual } from "node:util";
import type { Decimal } from "../../kernel/decimal.ts";
import { invalidField, noSuch } from "../../kernel/errors.ts";
import { exemption } from "../../kernel/exemption.ts";
import { cents, toRand } from "../../kernel/money.ts";
import { partsOf, type Tiering, tieringAsked } from "../../kernel/tiers.ts";
import { nextBill } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import type { Item, Metered, Outcome, Price } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { withoutUsage } from "../../modules/customer-subscriptions/rules/planner/usage.ts";
import type { AskedItem } from "../../modules/customer-subscriptions/schema/changes.ts";
import { currenciesOf, priceIn } from "../../modules/packages/rules.ts";
import { findPackage, findPlan, findPlanByCode } from "../../modules/packages/store.ts";
import type { Package, Plan, PlanPrice } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";

/** The largest total of an invoice. */
export const TOTAL_MAX = cents(1_000_000_000_00);
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
  if (!plan || !parent) throw noSuch([planField(named)], "plan", name);
  if (!(plan.enabled && parent.enabled) && !isAllowed(plan))
    throw invalidField([planField(named)], "The plan or its package is disabled. Enable it, or choose another plan.");
  return { plan, parent };
}

/** The plan's present price, in its own currency unless another of its prices is given. */
export const priceOf = (plan: Plan, { currency, amount, setupFee }: PlanPrice = plan): Price => ({
  id: plan.versionId,
  planId: plan.id,
  name: plan.name,
  currency,
  amount,
  ...(plan.tiering && { tiering: plan.tiering }),
  frequency: plan.frequency,
  setupFee,
  cycles: plan.cycles,
  taxRate: plan.taxRate,
  ...exemption(plan.taxExempt),
  taxInclusive: plan.taxInclusive,
  ...(plan.datedRates && { datedRates: plan.datedRates }),
});

/**
 * The plan's present price in the currency that a request body names; in the plan's own when it names none. Throws 400
 * at `currency`, which names the plan's currencies, when it has no price in that one.
 */
export function priceAskedOf(plan: Plan, currency: string | null): Price {
  const price = priceIn(plan, currency ?? plan.currency);
  if (!price)
    throw invalidField(
      ["currency"],
      `The plan has no price in ${currency}. Send one of its currencies: ${currenciesOf(plan).join(", ")}.`,
    );
  return priceOf(plan, price);
}

/**
 * The item in a request body at `path`: a new one, or `known` with other fields. The usage of a new metered item begins
 * at zero; one that counts events in another way is new. Throws 400 for a missing field of a new item, for tiers and an
 * aggregation that do not fit, an amount below zero unless the item is one-time, a quantity
 * of zero, and an amount above the largest invoice.
 */
export function itemAsked(asked: AskedItem, known: Item | null, path: Path): Item {
  const kind = asked.kind ?? known?.kind;
  const description = asked.description ?? known?.description;
  const required = (field: string) => invalidField([...path, field], `${[...path, field].join(".")} is required`);
  if (kind === undefined) throw required("kind");
  if (description === undefined) throw required("description");
  const tiered = tieringOf(asked, kind, known, path);
  const unitAmount = unitAmountOf(asked, tiered.tiering, known, path);
  if (unitAmount === undefined) throw required("unitAmount");
  if (kind !== "one_time" && unitAmount.startsWith("-"))
    throw invalidField([...path, "unitAmount"], "must be at least 0; only a one_time item may be a credit");
  const counted = aggregationOf(asked, kind, known, path);
  const same = known?.kind === kind && isCountedAlike(known, counted) ? known : null;
  const base = { id: same?.id ?? newId("csi"), code: asked.code ?? known?.code ?? null, description };
  const used = same?.kind === "metered" ? usageOf(same) : { usage: NONE };
  const quantity = asked.quantity ?? (same === null || same.kind === "metered" ? ONE : same.quantity);
  if (kind !== "metered" && Number(quantity) === 0) throw invalidField([...path, "quantity"], "must be greater than 0");
  const own = kind === "metered" ? { ...counted, ...used } : { quantity };
  const item = { ...base, kind, unitAmount, ...tiered, ...own } as Item;
  requireItemSize(item, path);
  return item;
}

type Path = readonly (string | number)[];

const usageOf = ({ usage, counting, ahead }: Metered) => ({
  usage,
  ...(counting && { counting }),
  ...(ahead && { ahead }),
});

/** The tiers of an item. Throws 400 for those that do not fit, and for any of a one-time item. */
function tieringOf(asked: AskedItem, kind: Item["kind"], known: Item | null, path: Path): { tiering?: Tiering } {
  if (kind !== "one_time")
    return tieringAsked(asked, known === null || known.kind === "one_time" ? undefined : known.tiering, path);
  for (const field of ["tiers", "tierMode", "includedUnits", "minimumAmount"] as const)
    if (asked[field] != null) throw invalidField([...path, field], "is not for a one_time item");
  return {};
}

/** The unit amount of an item: zero beside tiers, which have the prices. Throws 400 for another one beside them. */
function unitAmountOf(asked: AskedItem, tiering: Tiering | undefined, known: Item | null, path: Path) {
  if (!tiering?.tiers) {
    const had = known !== null && known.kind !== "one_time" && known.tiering?.tiers;
    return asked.unitAmount ?? (had ? undefined : known?.unitAmount);
  }
  if (asked.unitAmount !== null && Number(asked.unitAmount) !== 0)
    throw invalidField([...path, "unitAmount"], "must be 0 or left out beside tiers, which have the prices");
  return NONE;
}

/** How a metered item counts usage events. Throws 400 for what does not fit its kind or its aggregation. */
function aggregationOf(asked: AskedItem, kind: Item["kind"], known: Item | null, path: Path): Aggregating {
  const before = known?.kind === "metered" ? known : null;
  const aggregation = asked.aggregation ?? before?.aggregation ?? "sum";
  if (kind !== "metered") {
    for (const field of ["aggregation", "uniqueBy"] as const)
      if (asked[field] !== null) throw invalidField([...path, field], "is for metered items only");
    return {};
  }
  const uniqueBy = asked.uniqueBy ?? (aggregation === "unique" ? before?.uniqueBy : undefined);
  if (aggregation === "unique" && uniqueBy === undefined)
    throw invalidField(
      [...path, "uniqueBy"],
      `${[...path, "uniqueBy"].join(".")} is required with aggregation unique: the name of a property`,
    );
  if (aggregation !== "unique" && uniqueBy !== undefined)
    throw invalidField([...path, "uniqueBy"], "is for aggregation unique only");
  return { ...(aggregation === "sum" ? {} : { aggregation }), ...(uniqueBy === undefined ? {} : { uniqueBy }) };
}

type Aggregating = Pick<Metered, "aggregation" | "uniqueBy">;

/** Whether a metered item keeps its `aggregation` and `uniqueBy`; true for every other kind of item. */
export const isCountedAlike = (known: Item, { aggregation, uniqueBy }: Aggregating): boolean =>
  known.kind !== "metered" || (known.aggregation === aggregation && known.uniqueBy === uniqueBy);

/** Throws 400 when an item alone exceeds the largest invoice. */
export function requireItemSize(item: Item, path: readonly (string | number)[]): void {
  if (sizeOf(item) > toRand(TOTAL_MAX)) throw invalidField(path, tooMuch());
}

/** About what an item comes to in a period, in major units. */
export function sizeOf(item: Item): number {
  if (item.kind === "one_time") return Number(item.quantity) * Math.abs(Number(item.unitAmount));
  const { unitAmount, tiering } = item;
  const parts = partsOf(item.kind === "metered" ? item.usage : item.quantity, unitAmount, tiering);
  const cost = parts.reduce((all, part) => all + Number(part.quantity) * Number(part.unitAmount), 0);
  return Math.max(cost, Number(tiering?.minimumAmount ?? 0));
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
  const of = ({ id: _id, ...item }: Item) => item;
  return isDeepStrictEqual(withoutUsage([one]).map(of), withoutUsage([other]).map(of));
}

/** Throws 400 about a field when a bill would exceed the largest invoice. */
export function requireBillable({ bills, after }: Pick<Outcome, "bills" | "after">, field = "quantity"): void {
  const shown = [after.terms, ...(after.pendingChange ? [after.pendingChange] : [])].map(regularPrice);
  const totals = [...shown, ...bills, nextBill(after)].map((one) => one?.total ?? 0);
  if (totals.some((total) => total > TOTAL_MAX)) throw invalidField([field], tooMuch());
}
