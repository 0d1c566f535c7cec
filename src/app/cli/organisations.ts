import { clockOf } from "../../flows/context.ts";
import { changeOrganisation, type OrganisationChanges } from "../../flows/organisations/update-organisation.ts";
import { isPlanName, PLANS, type PlanName, type QuotaName } from "../../kernel/plans.ts";
import { type Instant, parseDateTime } from "../../kernel/time.ts";
import { allOrganisations } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { organisationView } from "../../modules/organisations/view.ts";
import { columns, type Invocation, type Run, UsageError } from "./command.ts";
import { answer, operator, organisationNamed, withDatabase } from "./database.ts";

const STATUSES = ["active", "suspended", "cancelled"] as const;
const QUOTAS = Object.keys(PLANS.starter.quotas) as QuotaName[];
const NUMBER_MAX = 1_000_000_000;

/** `org update <slug>`: answers the organisation. */
export const orgUpdate: Run = async (call) => {
  const [slug = ""] = call.operands;
  const changes = readChanges(call);
  return withDatabase(call, async ({ db }) => {
    const { id } = await organisationNamed(db, slug);
    const changed = await db.transaction(id, (tx) => changeOrganisation(tx, operator(), changes));
    await answer(call, view(changed), words(changed));
    return 0;
  });
};

/** `org list`: `{data: [organisation]}`, oldest first. */
export const orgList: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const organisations = (await allOrganisations(db)).map(view);
    const rows = organisations.map((o) => [o.slug, o.plan, o.status, o.sandbox ? "sandbox" : "live", o.name]);
    await answer(call, { data: organisations }, columns([["SLUG", "PLAN", "STATUS", "MONEY", "NAME"], ...rows]));
    return 0;
  });

/** `org show <slug>`: answers the organisation. */
export const orgShow: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const organisation = await organisationNamed(db, call.operands[0] ?? "");
    await answer(call, view(organisation), words(organisation));
    return 0;
  });

const view = (organisation: Organisation) => organisationView(organisation, clockOf(organisation));

function words(organisation: Organisation): string {
  const { limits, ...shown } = view(organisation);
  const facts = Object.entries({ ...shown, ...limits }).map(([name, value]) => [name, String(value ?? "-")]);
  return columns(facts);
}

/** A plan's name, or a usage error. */
export function readPlan(text: string): PlanName {
  if (isPlanName(text)) return text;
  throw new UsageError(`--plan must be one of ${Object.keys(PLANS).join(", ")}.`);
}

/** A whole number from `min` to `max`, or a usage error. */
export function readWhole(option: string, text: string, min: number, max = NUMBER_MAX): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}.`);
}

function readChanges(call: Invocation): OrganisationChanges {
  const [plan, status, trialEndsAt, rateLimit] = ["plan", "status", "trial-ends-at", "rate-limit"].map(call.text);
  const limits = Object.fromEntries(call.all("limit").map(readLimit));
  const changes: OrganisationChanges = {
    ...(plan === undefined ? {} : { plan: readPlan(plan) }),
    ...(status === undefined ? {} : { status: readStatus(status) }),
    ...(trialEndsAt === undefined ? {} : { trialEndsAt: readMoment(trialEndsAt) }),
    ...(rateLimit === undefined
      ? {}
      : { rateLimit: rateLimit === "default" ? null : readWhole("--rate-limit", rateLimit, 1) }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
  if (Object.keys(changes).length === 0) throw new UsageError("Nothing to change: give at least one option.");
  return changes;
}

function readLimit(text: string): [QuotaName, number | null] {
  const [name = "", value = "", ...rest] = text.split("=");
  const quota = QUOTAS.find((known) => known === name);
  if (!quota || value === "" || rest.length > 0)
    throw new UsageError(`--limit must be NAME=N, where NAME is ${QUOTAS.join(", ")}.`);
  return [quota, value === "plan" ? null : readWhole(`--limit ${quota}`, value, 0)];
}

function readStatus(text: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((known) => known === text);
  if (status) return status;
  throw new UsageError(`--status must be one of ${STATUSES.join(", ")}.`);
}

function readMoment(text: string): Instant {
  const moment = parseDateTime(text);
  if (moment) return moment;
  throw new UsageError(
    "--trial-ends-at must be ISO 8601 with seconds and Z or an offset, such as 2026-12-31T22:00:00Z.",
  );
}
