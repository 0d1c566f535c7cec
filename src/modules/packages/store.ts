// Writes: packages, plan_versions, plans. Reads: checkout_sessions, coupons, customer_subscriptions (whether a plan is used).

import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { PackagesRow, PlansRow, PlanVersionsRow } from "../../domain/rows.ts";
import { vatTimelineOf } from "../../domain/settings.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type { PackageId, PlanId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Tiering } from "../../kernel/tiers.ts";
import { datedRates, type VatTimeline } from "../../kernel/vat-rates.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../platform/database.ts";
import type { Feature, Package, Plan, PlanPrice } from "./types.ts";

type Terms = Omit<PlanVersionsRow, "organisation_id" | "id" | "plan_id" | "created_at" | "tiering"> & {
  readonly tiering: Tiering | null;
};

const planFromRow = (row: PlansRow & Terms & { vat_timeline: VatTimeline }): Plan => ({
  id: row.id,
  packageId: row.package_id,
  code: row.code,
  name: row.name,
  amount: row.amount_cents,
  ...(row.tiering && { tiering: row.tiering }),
  currency: row.currency,
  frequency: row.frequency,
  setupFee: row.setup_fee_cents,
  prices: row.prices as PlanPrice[],
  trialDays: row.trial_days,
  taxRate: decimalOf(row.tax_rate),
  taxExempt: row.tax_exempt,
  standardRate: row.standard_rate,
  ...datedRates(
    { taxRate: decimalOf(row.tax_rate), taxExempt: row.tax_exempt, standardRate: row.standard_rate },
    row.vat_timeline,
  ),
  taxInclusive: row.tax_inclusive,
  cycles: row.cycles,
  features: row.features as Feature[],
  enabled: row.enabled,
  callToAction: row.call_to_action,
  callToActionUrl: row.call_to_action_url,
  versionId: row.plan_version_id,
  version: row.number,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const packageFromRow = (row: PackagesRow, plans: readonly Plan[]): Package => ({
  id: row.id,
  name: row.name,
  description: row.description,
  enabled: row.enabled,
  plans,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Plans with the terms of their current versions; `rest` begins with a further condition. */
async function plansWhere(tx: Tx, rest: Part): Promise<Plan[]> {
  const rows = await tx.sql<PlansRow & Terms & { vat_timeline: VatTimeline }>`
    select p.*, v.number, v.amount_cents, v.tiering, v.currency, v.frequency, v.setup_fee_cents, v.prices, v.trial_days,
           v.tax_rate,
           v.tax_exempt, v.standard_rate, v.tax_inclusive, v.cycles, ${vatTimelineOf(tx)} as vat_timeline
      from plans p join plan_versions v on v.organisation_id = ${tx.organisation} and v.id = p.plan_version_id
     where p.organisation_id = ${tx.organisation} ${rest}`;
  return rows.map(planFromRow);
}

const plansOf = (tx: Tx, packages: readonly string[]): Promise<Plan[]> =>
  plansWhere(tx, part`and p.package_id = any (${packages}) order by p.id`);

async function withPlans(tx: Tx, rows: readonly PackagesRow[]): Promise<Package[]> {
  if (rows.length === 0) return [];
  const plans = await plansOf(
    tx,
    rows.map(({ id }) => id),
  );
  const ofPackage = Map.groupBy(plans, ({ packageId }) => packageId);
  return rows.map((row) => packageFromRow(row, ofPackage.get(row.id) ?? []));
}

/** Null when absent or another organisation's. */
export async function findPackage(tx: Tx, id: string): Promise<Package | null> {
  const [[row], plans] = await Promise.all([
    tx.sql<PackagesRow>`select * from packages where organisation_id = ${tx.organisation} and id = ${id}`,
    plansOf(tx, [id]),
  ]);
  return row ? packageFromRow(row, plans) : null;
}

/** As `findPackage`, and locks it until the transaction ends; its plans are read after that. */
export async function lockPackage(tx: Tx, id: string): Promise<Package | null> {
  const rows = await locking(tx, "package").sql<PackagesRow>`
    select * from packages where organisation_id = ${tx.organisation} and id = ${id} for update`;
  const [found] = await withPlans(tx, rows);
  return found ?? null;
}

/** Newest first, with their plans; `q` searches the name. */
export async function listPackages(tx: Tx, query: ListQuery): Promise<Package[]> {
  const rows = await tx.sql<PackagesRow>`
    select * from packages where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${createdIn(query, "pkg", { id: part`id`, createdAt: part`created_at` })}
      ${when(query.q || null, (q) => part`and name ilike ${containing(q)}`)}
     ${newestFirst(query, part`id`)}`;
  return withPlans(tx, rows);
}

/** Inserts or updates a package; not its plans. */
export function savePackage(tx: Tx, saved: Package): void {
  tx.queue`
    insert into packages (organisation_id, id, name, description, enabled, created_at, updated_at)
    values (${tx.organisation}, ${saved.id}, ${saved.name}, ${saved.description}, ${saved.enabled}, ${saved.createdAt}, ${saved.updatedAt})
    on conflict (organisation_id, id) do update set name = excluded.name, description = excluded.description,
      enabled = excluded.enabled, updated_at = excluded.updated_at`;
}

/** Deletes a package; its plans must be deleted before. */
export function deletePackageRow(tx: Tx, id: PackageId): void {
  tx.queue`delete from packages where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** By its id. Null when absent or another organisation's. */
export async function findPlan(tx: Tx, id: string): Promise<Plan | null> {
  const [plan] = await plansWhere(tx, part`and p.id = ${id}`);
  return plan ?? null;
}

/** The plans with these ids. */
export const findPlans = (tx: Tx, ids: readonly string[]): Promise<Plan[]> =>
  plansWhere(tx, part`and p.id = any (${ids})`);

/** By its code. */
export async function findPlanByCode(tx: Tx, code: string): Promise<Plan | null> {
  const [plan] = await plansWhere(tx, part`and p.code = ${code}`);
  return plan ?? null;
}

/** Plans with one of these ids or codes, each with its package's name. */
export async function findNamedPlans(
  tx: Tx,
  names: readonly string[],
): Promise<readonly { readonly plan: Plan; readonly packageName: string }[]> {
  const plans = await plansWhere(tx, part`and (p.id = any (${names}) or p.code = any (${names}))`);
  if (plans.length === 0) return [];
  const rows = await tx.sql<Pick<PackagesRow, "id" | "name">>`
    select id, name from packages where organisation_id = ${tx.organisation} and id = any (${plans.map(({ packageId }) => packageId)})`;
  const packageNames = new Map(rows.map(({ id, name }) => [id, name]));
  return plans.map((plan) => ({ plan, packageName: packageNames.get(plan.packageId) ?? "" }));
}

/** The oldest package with this name that has room for another plan; null when there is none. */
export async function findOpenPackage(tx: Tx, name: string, plansMax: number): Promise<PackageId | null> {
  const [row] = await tx.sql<Pick<PackagesRow, "id">>`
    select k.id from packages k where k.organisation_id = ${tx.organisation} and k.name = ${name} and not k.enabled
       and (select count(*) from plans p where p.organisation_id = ${tx.organisation} and p.package_id = k.id) < ${plansMax}
     order by k.id limit 1`;
  return row?.id ?? null;
}

/** The plans with one of these amounts and its frequency: those that are sold first, then the oldest. */
export function plansOfPrices(
  tx: Tx,
  prices: readonly Pick<Plan, "amount" | "frequency">[],
  currency: string,
): Promise<Plan[]> {
  return plansWhere(
    tx,
    part`and v.currency = ${currency} and v.tiering is null
       and (v.amount_cents, v.frequency) in (select w.amount, w.frequency
         from unnest(${prices.map(({ amount }) => amount)}::bigint[],
                     ${prices.map(({ frequency }) => frequency)}::text[]) as w(amount, frequency))
     order by (p.enabled and exists (select from packages k
       where k.organisation_id = ${tx.organisation} and k.id = p.package_id and k.enabled)) desc, p.id`,
  );
}

/** Locks a plan of this package until the transaction ends; null when there is none. */
export async function lockPlan(tx: Tx, packageId: string, id: string): Promise<Plan | null> {
  const [row] = await locking(tx, "plan").sql<{ id: PlanId }>`
    select id from plans where organisation_id = ${tx.organisation} and id = ${id} and package_id = ${packageId} for update`;
  return row ? findPlan(tx, row.id) : null;
}

/** Locks plans until the transaction ends; answers the ids of those that exist. */
export async function lockPlans(tx: Tx, ids: readonly string[]): Promise<PlanId[]> {
  if (ids.length === 0) return [];
  const rows = await locking(tx, "plan").sql<{ id: PlanId }>`
    select id from plans where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for update`;
  return rows.map(({ id }) => id);
}

/**
 * The kinds of records that use one of these plans, or the package, in words, such as "coupons"; empty: none. The
 * answer stays true only for plans that are locked.
 */
export async function usesOfPlans(
  tx: Tx,
  ids: readonly PlanId[],
  packageId: PackageId | null = null,
): Promise<string[]> {
  const rows = await tx.sql<{ what: string }>`
    select 'coupons' as what
     where exists (select from coupons where organisation_id = ${tx.organisation} and plan_ids && ${ids}::text[])
    union all
    select 'customer subscriptions'
     where exists (select from customer_subscriptions where organisation_id = ${tx.organisation}
                   and (plan_id = any (${ids}) or pending_plan_id = any (${ids})))
    union all
    select 'checkouts'
     where exists (select from checkout_sessions where organisation_id = ${tx.organisation} and plan_id = any (${ids}))
        or exists (select from checkout_sessions where organisation_id = ${tx.organisation} and package_id = ${packageId})`;
  return rows.map(({ what }) => what);
}

/** Locks the code, so that two transactions that give a plan the same code run one after the other. */
export function lockPlanCode(tx: Tx, code: string): void {
  lockName(tx, "plan code", code);
}

/** Newest first, of one package or of all; `q` searches name and code. */
export function listPlans(tx: Tx, query: ListQuery<"code">, packageId: PackageId | null): Promise<Plan[]> {
  const search = query.q ? containing(query.q) : null;
  return plansWhere(
    tx,
    part`${when(packageId, (value) => part`and p.package_id = ${value}`)}
      ${when(query.code, (code) => part`and p.code = ${code}`)}
      ${onPage(query, part`p.id`)}
      ${createdIn(query, "plan", { id: part`p.id`, createdAt: part`p.created_at` })}
      ${when(search, (value) => part`and (p.name ilike ${value} or p.code ilike ${value})`)}
     ${newestFirst(query, part`p.id`)}`,
  );
}

/** Inserts a version; the statement continues with the plan that it belongs to. */
const withVersion = (tx: Tx, plan: Plan): Part => part`
    with version as (
      insert into plan_versions (organisation_id, id, plan_id, number, amount_cents, currency, frequency, setup_fee_cents, prices,
        trial_days, tax_rate, tax_exempt, standard_rate, tax_inclusive, cycles, tiering, created_at)
      values (${tx.organisation}, ${plan.versionId}, ${plan.id}, ${plan.version}, ${plan.amount}, ${plan.currency}, ${plan.frequency},
        ${plan.setupFee}, ${JSON.stringify(plan.prices)}, ${plan.trialDays}, ${plan.taxRate}, ${plan.taxExempt}, ${plan.standardRate},
        ${plan.taxInclusive}, ${plan.cycles}, ${plan.tiering ? JSON.stringify(plan.tiering) : null}, ${plan.updatedAt}))`;

/** Inserts a plan with its first version. */
export function insertPlan(tx: Tx, plan: Plan): void {
  tx.queue`${withVersion(tx, plan)}
    insert into plans (organisation_id, id, package_id, code, name, enabled, features, call_to_action, call_to_action_url, plan_version_id,
      created_at, updated_at)
    values (${tx.organisation}, ${plan.id}, ${plan.packageId}, ${plan.code}, ${plan.name}, ${plan.enabled},
      ${JSON.stringify(plan.features)}, ${plan.callToAction}, ${plan.callToActionUrl}, ${plan.versionId}, ${plan.createdAt},
      ${plan.updatedAt})`;
}

/** Updates a plan, and inserts its version if it is a new one. */
export function updatePlan(tx: Tx, plan: Plan, { isNewVersion }: { isNewVersion: boolean }): void {
  tx.queue`${isNewVersion ? withVersion(tx, plan) : NOTHING}
    update plans set code = ${plan.code}, name = ${plan.name}, enabled = ${plan.enabled}, features = ${JSON.stringify(plan.features)},
      call_to_action = ${plan.callToAction}, call_to_action_url = ${plan.callToActionUrl}, plan_version_id = ${plan.versionId},
      updated_at = ${plan.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${plan.id}`;
}

/** Deletes plans with their versions. They must be locked, and nothing may use them. */
export function deletePlanRows(tx: Tx, ids: readonly PlanId[]): void {
  tx.queue`delete from plans where organisation_id = ${tx.organisation} and id = any (${ids})`;
  tx.queue`delete from plan_versions where organisation_id = ${tx.organisation} and plan_id = any (${ids})`;
}
