import { ApiError } from "../kernel/errors.ts";
import { FEATURES, type Feature, PLANS, type QuotaName } from "../kernel/plans.ts";
import { type Instant, machineNow } from "../kernel/time.ts";
import { isReadOnly, statusOf } from "../modules/organisations/states.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { Purpose } from "./payments/purpose.ts";

/** Who does it; written to the audit log (docs/architecture.md, Data). */
export interface Actor {
  readonly kind: "key" | "member" | "payer" | "gateway" | "operator" | "system";
  readonly id: string | null;
  readonly name: string | null;
  readonly ip: string | null;
  /** Of an API key (interface 5.6). */
  readonly permissions?: readonly string[];
}

/** What a use case uses of this installation without calling anybody: the same for every request of a process. */
export interface Installation {
  /** The interface's {base_url}, without a slash at the end. */
  readonly baseUrl: string;
  /** Seals and opens values, and signs hosted links. */
  readonly secrets: Secrets;
  /** Mail is sent over SMTP; otherwise it is only recorded, and staff read it in the dashboard. */
  readonly mailEnabled: boolean;
  /** Everything that payments can be for, in the order in which their records are locked (`LOCK_ORDER`). */
  readonly purposes: readonly Purpose<Ctx>[];
}

/** What every use case starts from: whose it is, when it is, who asks, and on which installation. */
export interface Ctx extends Installation {
  readonly organisation: Organisation;
  /** The organisation's clock, read once (interface 13.1). */
  readonly now: Instant;
  readonly actor: Actor;
  readonly requestId: string | null;
}

/** The machine's clock: for signatures, and for an organisation that does not exist yet. Business time is `ctx.now`. */
export const realTime = (): Instant => machineNow();

/** Interface 13.1: a clock that was set stands still; every other runs with real time. */
export const clockOf = (organisation: Pick<Organisation, "clockAt">): Instant => organisation.clockAt ?? machineNow();

/** A context for `organisation`, its clock read now. */
export const contextFor = (
  { baseUrl, secrets, mailEnabled, purposes }: Installation,
  organisation: Organisation,
  actor: Actor,
  requestId: string | null = null,
): Ctx => ({
  baseUrl,
  secrets,
  mailEnabled,
  purposes,
  organisation,
  now: clockOf(organisation),
  actor,
  requestId,
});

/** The service acting for itself: reactions and due work. */
export const SYSTEM: Actor = { kind: "system", id: null, name: null, ip: null };

/** Whether the plan includes it (interface 12.2). */
export const hasFeature = (organisation: Organisation, feature: Feature): boolean =>
  PLANS[organisation.plan].features.includes(feature);

/** Interface 5.5: 403 `plan_restricted` when the plan lacks the feature. */
export function requireFeature(organisation: Organisation, feature: Feature): void {
  if (hasFeature(organisation, feature)) return;
  throw new ApiError(
    "plan_restricted",
    403,
    `Your plan does not include ${FEATURES[feature]}. Upgrade the plan to use it.`,
  );
}

/** Whether the account takes no changes now (interface 1.2). */
export const isReadOnlyNow = ({ organisation, now }: Pick<Ctx, "organisation" | "now">): boolean =>
  isReadOnly(statusOf(organisation, now));

/** Interface 1.2: 403 `account_restricted` while the account is read-only. */
export function requireWritable(ctx: Pick<Ctx, "organisation" | "now">): void {
  const status = statusOf(ctx.organisation, ctx.now);
  if (!isReadOnly(status)) return;
  const why = status === "expired" ? "The trial is over" : `The account is ${status}`;
  throw new ApiError("account_restricted", 403, `${why}, so it is read-only: reads still work, changes do not.`);
}

/** The number in force for a quota; null is no quota (interface 12.2). */
export const quotaOf = (organisation: Organisation, quota: QuotaName): number | null =>
  organisation.limits[quota] ?? PLANS[organisation.plan].quotas[quota];

/** Interface 1.3; standing and balances are told in it. */
export const DEFAULT_CURRENCY = "ZAR";
