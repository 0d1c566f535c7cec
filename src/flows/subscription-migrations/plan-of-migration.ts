import { assert } from "../../kernel/assert.ts";
import { formatMoney } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { chargesExactly } from "../../modules/packages/rules.ts";
import { findOpenPackage, findPackage, lockPackage, lockPlans, plansOfPrices } from "../../modules/packages/store.ts";
import type { Package, Plan } from "../../modules/packages/types.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { frequencyInWords } from "../../templates/wording.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { createPackage } from "../packages/save-package.ts";
import { createPlan, PLANS_MAX } from "../packages/save-plan.ts";

/** The package of the plans that migrations make. It is not sold. */
const PACKAGE_NAME = "Migrated subscriptions";

/** What a payer was charged elsewhere. */
export type MigratedPrice = Pick<SubscriptionMigration, "amount" | "frequency">;

/** A plan with its package. */
export interface PlanOfMigration {
  readonly plan: Plan;
  readonly parent: Pick<Package, "id" | "name">;
}

/**
 * Returns a function that gives the plan for each of these prices: the oldest plan that charges exactly the amount
 * today and follows the standard rate of VAT, preferring one that is sold; else a new one whose price includes VAT, in
 * a package that is not sold (decisions.md#migrations-charge-what-was-charged). The caller has locked the migrations.
 * Locks that package and the plans, so that nobody deletes or changes them.
 */
export async function plansOfMigrations(
  tx: Tx,
  ctx: Ctx,
  prices: readonly MigratedPrice[],
): Promise<(price: MigratedPrice) => PlanOfMigration> {
  const wanted = [...new Map(prices.map((price) => [keyOf(price), price])).values()];
  const known = await findOpenPackage(tx, PACKAGE_NAME, PLANS_MAX - wanted.length + 1);
  let own = known && (await lockPackage(tx, known));
  const ids = (await fittingPlans(tx, ctx, wanted)).map(({ id }) => id);
  const locked = new Set(await lockPlans(tx, ids));
  // Read again, now that nobody changes them.
  const fitting = (await fittingPlans(tx, ctx, wanted)).filter(({ id }) => locked.has(id));
  const found = new Map<string, PlanOfMigration>();
  for (const price of wanted) {
    const plan = fitting.find((one) => keyOf(one) === keyOf(price));
    const parent = plan && (await findPackage(tx, plan.packageId));
    if (plan && parent) {
      found.set(keyOf(price), { plan, parent });
      continue;
    }
    own ??= createPackage(tx, ctx, { name: PACKAGE_NAME, enabled: false });
    const { amount, frequency } = price;
    // With plain spaces, so that a typed search finds it.
    const money = formatMoney(amount, DEFAULT_CURRENCY).replaceAll(/\s/g, " ");
    const name = `Subscription (${money} ${frequencyInWords(frequency)})`;
    found.set(keyOf(price), {
      plan: await createPlan(tx, ctx, own.id, { amount, frequency, name, taxInclusive: true }),
      parent: own,
    });
  }
  return (price) => {
    const of = found.get(keyOf(price));
    assert(of, "every price has a plan by now");
    return of;
  };
}

const fittingPlans = async (tx: Tx, { now }: Ctx, prices: readonly MigratedPrice[]): Promise<readonly Plan[]> =>
  (await plansOfPrices(tx, prices, DEFAULT_CURRENCY)).filter((plan) => chargesExactly(plan, calendarDay(now)));

const keyOf = ({ amount, frequency }: MigratedPrice): string => `${amount} ${frequency}`;
