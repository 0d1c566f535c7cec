// Writes: organisations, organisation_settings. Reads nothing else.

import { locking } from "../../domain/locks.ts";
import type { OrganisationsRow } from "../../domain/rows.ts";
import type { OrganisationId } from "../../kernel/ids.ts";
import type { Quotas } from "../../kernel/plans.ts";
import { type Instant, instant } from "../../kernel/time.ts";
import type { VatTimeline } from "../../kernel/vat-rates.ts";
import { takeClock } from "../../platform/clock-moves.ts";
import type { Database, Tx } from "../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import type { Organisation } from "./types.ts";

/** `SealContext.column` of the keys that sign hosted links. */
export const LINK_KEY_COLUMN = "organisations.token_key";

/** A row of `organisations`, from a query (dates) or from a function of the gate (JSON, timestamps are text). */
export interface OrganisationRow
  extends Pick<
    OrganisationsRow,
    "id" | "slug" | "name" | "plan" | "state" | "sandbox" | "limits" | "rate_limit" | "token_key_sealed"
  > {
  trial_ends_at: Date | string | null;
  clock_at: Date | string | null;
  created_at: Date | string;
}

/** The organisation of a row. */
export const organisationFromRow = (row: OrganisationRow): Organisation => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  plan: row.plan,
  state: row.state,
  trialEndsAt: row.trial_ends_at === null ? null : instant(row.trial_ends_at),
  sandbox: row.sandbox,
  clockAt: row.clock_at === null ? null : instant(row.clock_at),
  limits: row.limits as Partial<Quotas>,
  rateLimit: row.rate_limit,
  tokenKeySealed: row.token_key_sealed,
  createdAt: instant(row.created_at),
});

const one = (rows: OrganisationRow[]): Organisation | null => (rows[0] ? organisationFromRow(rows[0]) : null);

/** The transaction's own organisation. */
export async function findOrganisation(tx: Tx): Promise<Organisation | null> {
  return one(await tx.sql<OrganisationRow>`select * from organisations where id = ${tx.organisation}`);
}

/**
 * As `findOrganisation`, and locks it until the transaction ends. The lock lets others insert records, whose foreign
 * keys hold the organisation's key.
 */
export async function lockOrganisation(tx: Tx): Promise<Organisation | null> {
  return one(
    await locking(tx, "organisation")
      .sql<OrganisationRow>`select * from organisations where id = ${tx.organisation} for no key update`,
  );
}

/** By slug, by a function of the gate (decisions.md#gate-functions). */
export async function organisationBySlug(db: Database, slug: string): Promise<Organisation | null> {
  return one(await db.sql<OrganisationRow>`select * from organisation_by_slug(${slug})`);
}

/** By the gateway account that a notification's URL names (interface 17.3), by a function of the gate. */
export async function organisationOfGatewayAccount(db: Database, account: string): Promise<Organisation | null> {
  return one(await db.sql<OrganisationRow>`select * from organisation_of_gateway_account(${account})`);
}

/** By the id of an API key, by a function of the gate. */
export async function organisationOfApiKey(db: Database, key: string): Promise<Organisation | null> {
  return one(await db.sql<OrganisationRow>`select * from organisation_of_api_key(${key})`);
}

/** All organisations, for operators, by a function of the gate. */
export async function allOrganisations(db: Database): Promise<Organisation[]> {
  return (await db.sql<OrganisationRow>`select * from all_organisations()`).map(organisationFromRow);
}

/** One link key for each master key that link keys are encrypted with, by a function of the gate. */
export async function linkKeysByMaster(db: Database): Promise<Pick<Organisation, "id" | "tokenKeySealed">[]> {
  return db.sql`
    select distinct on (split_part(token_key_sealed, '.', 2)) id, token_key_sealed as "tokenKeySealed" from all_organisations()
     order by split_part(token_key_sealed, '.', 2)`;
}

/** Inserts an organisation and its settings. Violates `organisations_slug_key` when the slug is taken. */
export function insertOrganisation(tx: Tx, organisation: Organisation): void {
  tx.queue`
    insert into organisations (id, slug, name, plan, state, trial_ends_at, sandbox, clock_at, limits, rate_limit,
                               token_key_sealed, created_at)
    values (${organisation.id}, ${organisation.slug}, ${organisation.name}, ${organisation.plan}, ${organisation.state},
      ${organisation.trialEndsAt}, ${organisation.sandbox}, ${organisation.clockAt}, ${JSON.stringify(organisation.limits)},
      ${organisation.rateLimit}, ${organisation.tokenKeySealed}, ${organisation.createdAt})`;
  tx.queue`insert into organisation_settings (organisation_id) values (${organisation.id})`;
}

/** Updates the fields that operators change (interface 12.1). */
export function updateOrganisation(tx: Tx, organisation: Organisation): void {
  tx.queue`
    update organisations set plan = ${organisation.plan}, state = ${organisation.state}, trial_ends_at = ${organisation.trialEndsAt},
      limits = ${JSON.stringify(organisation.limits)}, rate_limit = ${organisation.rateLimit},
      token_key_sealed = ${organisation.tokenKeySealed}
     where id = ${tx.organisation}`;
}

/** Sets the organisation's clock; null lets it follow real time again (interface 13.1). */
export function setClock(tx: Tx, clockAt: Instant | null): void {
  tx.queue`update organisations set clock_at = ${clockAt} where id = ${tx.organisation}`;
}

/**
 * Leases the clock for a move until `leaseUntil`; a clock that followed real time stands at `now` from then on. Both are machine
 * time. The caller holds `clockHold`, so that a lease that has not ended was left by a process that has.
 */
export async function leaseClock(tx: Tx, now: Instant, leaseUntil: Instant): Promise<Organisation | null> {
  await takeClock(tx);
  return one(
    await tx.sql<OrganisationRow>`
      update organisations set clock_at = coalesce(clock_at, ${now}), clock_moving_until = ${leaseUntil}
       where id = ${tx.organisation} returning *`,
  );
}

/** Locks a clock that is being moved, and then its organisation: in the order of `hold_clock`, or the two would wait for each other. */
export async function lockMovingClock(tx: Tx): Promise<void> {
  await takeClock(tx);
  await lockOrganisation(tx);
}

/** The name that the process which moves the clock holds (`Database.hold`). */
export const clockHold = (organisation: OrganisationId): string => `move of ${organisation}`;

/** Whether the move of the caller, who holds `clockHold`, goes on: `endMove` ends it. */
export async function isClockLeased(tx: Tx): Promise<boolean> {
  const rows = await tx.sql`
    select id from organisations where id = ${tx.organisation} and clock_moving_until is not null`;
  return rows.length > 0;
}

/** Whether the clock is being moved at `now`, the machine's time. */
export async function isClockMoving(tx: Tx, now: Instant): Promise<boolean> {
  const rows = await tx.sql`
    select id from organisations where id = ${tx.organisation} and clock_moving_until > ${now}`;
  return rows.length > 0;
}

/** Renews the lease that ends at `leaseUntil` until `later`; false when another move has the lease now. */
export async function renewClockLease(tx: Tx, leaseUntil: Instant, later: Instant): Promise<boolean> {
  await takeClock(tx);
  const rows = await tx.sql`
    update organisations set clock_moving_until = ${later} where id = ${tx.organisation}
        and clock_moving_until = ${leaseUntil} returning id`;
  return rows.length > 0;
}

/** Moves a set clock forward, never back. The caller has taken the clock. Locks the organisation until the transaction ends. */
export async function advanceClock(tx: Tx, to: Instant): Promise<Organisation | null> {
  return one(
    await tx.sql<OrganisationRow>`
      update organisations set clock_at = greatest(clock_at, ${to}) where id = ${tx.organisation} returning *`,
  );
}

/** Ends the lease until `leaseUntil`. */
export async function endClockLease(tx: Tx, leaseUntil: Instant): Promise<void> {
  await takeClock(tx);
  tx.queue`
    update organisations set clock_moving_until = null where id = ${tx.organisation} and clock_moving_until = ${leaseUntil}`;
}

/** Ends a move that is running, at its next step; answers whether there was one at `now`, the machine's time. */
export async function endMove(tx: Tx, now: Instant): Promise<boolean> {
  await takeClock(tx);
  const rows = await tx.sql`
    update organisations set clock_moving_until = null where id = ${tx.organisation} and clock_moving_until > ${now} returning id`;
  return rows.length > 0;
}

/** Lets the clock follow real time again. The caller has taken the clock, as `endMove` does. */
export function unsetClock(tx: Tx): void {
  tx.queue`update organisations set clock_at = null, clock_moving_until = null where id = ${tx.organisation}`;
}

/** The stored settings, without defaults. */
export async function readSettings(tx: Tx): Promise<unknown> {
  const [row] = await tx.sql<{ settings: unknown }>`
    select settings from organisation_settings where organisation_id = ${tx.organisation}`;
  return row?.settings ?? {};
}

/** As `readSettings`, and locks them until the transaction ends. */
export async function lockSettings(tx: Tx): Promise<unknown> {
  const [row] = await locking(tx, "settings").sql<{ settings: unknown }>`
    select settings from organisation_settings where organisation_id = ${tx.organisation} for update`;
  return row?.settings ?? {};
}

/** The logo's bytes. */
export async function findLogo(tx: Tx): Promise<Buffer | null> {
  const [row] = await tx.sql<{ logo: Buffer | null }>`
    select logo from organisation_settings where organisation_id = ${tx.organisation}`;
  return row?.logo ?? null;
}

/** The decoded logo for PDFs, empty when it cannot be drawn; null when there is no logo, or it is not decoded yet. */
export async function findDecodedLogo(tx: Tx): Promise<Buffer | null> {
  const [row] = await tx.sql<{ logo_print: Buffer | null }>`
    select logo_print from organisation_settings where organisation_id = ${tx.organisation}`;
  return row?.logo_print ?? null;
}

/** Stores the logo's bytes and its decoded form; null deletes it. */
export function saveLogo(tx: Tx, logo: { readonly bytes: Buffer; readonly decoded: Buffer } | null): void {
  tx.queue`
    update organisation_settings set logo = ${logo?.bytes ?? null}, logo_print = ${logo?.decoded ?? null}
     where organisation_id = ${tx.organisation}`;
}

/** Stores the decoded form of a stored logo; nothing when the logo was replaced since. */
export function saveDecodedLogo(tx: Tx, logo: Buffer, decoded: Buffer): void {
  tx.queue`
    update organisation_settings set logo_print = ${decoded}
     where organisation_id = ${tx.organisation} and logo = ${logo}`;
}

/** Replaces all settings. `timeline` follows from them. */
export function saveSettings(tx: Tx, settings: object, timeline: VatTimeline, now: Instant): void {
  const spans = JSON.stringify(timeline);
  tx.queue`
    update organisation_settings set settings = ${JSON.stringify(settings)}, vat_timeline = ${spans},
           vat_changed_at = case when vat_timeline = ${spans}::jsonb then vat_changed_at else ${now}::timestamptz end
     where organisation_id = ${tx.organisation}`;
}

/** By an id from a token; null when there is no such organisation. */
export async function organisationById(db: Database, id: OrganisationId): Promise<Organisation | null> {
  return db.read(id, findOrganisation);
}

/** The keys that sign hosted links, for `secrets rotate`. */
export const SEALED_LINK_KEYS: SealedColumn = {
  column: "organisations.token_key_sealed",
  sealedFor: LINK_KEY_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, token_key_sealed as sealed from organisations
     where id = ${tx.organisation} and id > ${after} and not starts_with(token_key_sealed, ${current}) limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update organisations set token_key_sealed = ${after}
     where id = ${tx.organisation} and id = ${id} and token_key_sealed = ${before}`,
};
