import { ApiError } from "../kernel/errors.ts";
import { FEATURES, type Feature, PLANS, type QuotaName } from "../kernel/plans.ts";
import type { Instant } from "../kernel/time.ts";
import type { KeyLimits } from "../modules/api-keys/types.ts";
import { ALL_PERMISSIONS, type HeldRole, mayDo, permissionWords } from "../modules/members/rules.ts";
import { isReadOnly, statusOf } from "../modules/organisations/states.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import type { Extensions } from "../platform/extension-point.ts";
import { machineNow } from "../platform/machine-clock.ts";
import type { Secrets } from "../platform/secrets.ts";

/** Who makes the request or the change; written to the audit log (docs/architecture.md, Data). */
export interface Actor {
  readonly kind: "key" | "member" | "payer" | "gateway" | "operator" | "system";
  readonly id: string | null;
  readonly name: string | null;
  readonly ip: string | null;
  /** The permissions of an API key (interface 5.6). */
  readonly permissions?: readonly string[];
  /** What an API key is limited to (interface 14.2). */
  readonly limits?: KeyLimits;
  /** The role of a member of staff, as it is now. */
  readonly role?: HeldRole;
}

/**
 * The API key or the member of staff who acts, and so issues the addresses that the request makes (interface 4.11).
 * Null for anybody else, such as the service.
 */
export const issuerOf = ({ actor }: Pick<Ctx, "actor">): string | null =>
  actor.kind === "key" || actor.kind === "member" ? actor.id : null;

/**
 * Throws 403 `permission_required` for a member whose role lacks any permission. An API key and a webhook endpoint reach
 * all records, whoever made them: a role that limits what is read would be limited no longer
 * (decisions.md#roles-limit-reading).
 */
export function requireEveryPermission({ actor: { role } }: Pick<Ctx, "actor">, what: string): void {
  const missing = role && ALL_PERMISSIONS.find((permission) => !mayDo(role, permission));
  if (!missing) return;
  throw new ApiError(
    "permission_required",
    403,
    `${what} reaches all records, so only who may see and change everything makes or changes one. ` +
      `Your role ${role.name} may not ${permissionWords(missing)}.`,
  );
}

/**
 * The parts of this installation that use cases need and that call no other system; the same for every request of a
 * process.
 */
export interface Installation {
  /** The interface's {base_url}, without a trailing slash. */
  readonly baseUrl: string;
  /** Encrypts and decrypts values, and signs hosted links. */
  readonly secrets: Secrets;
  /** Whether mail is sent over SMTP. If not, mails are only recorded, and staff read them in the dashboard. */
  readonly mailEnabled: boolean;
  /** Whether webhooks of sandbox organisations may go to this machine itself (interface 13.3). */
  readonly loopbackWebhooks: boolean;
  /** What resources have registered at extension points. */
  readonly extensions: Extensions;
}

/** The context of every use case: the organisation, its time, the actor and the installation. */
export interface Ctx extends Installation {
  readonly organisation: Organisation;
  /** The organisation's clock, read once (interface 13.1). */
  readonly now: Instant;
  readonly actor: Actor;
  readonly requestId: string | null;
}

/**
 * The machine's clock, for signatures, request limits and an organisation that does not exist yet. Business time is
 * `ctx.now`.
 */
export const realTime = (): Instant => machineNow();

/** The organisation's time (interface 13.1): a clock that was set stands still; without one it is real time. */
export const clockOf = (organisation: Pick<Organisation, "clockAt">): Instant => organisation.clockAt ?? machineNow();

/** A context for `organisation`. Reads its clock once. */
export const contextFor = (
  { baseUrl, secrets, mailEnabled, loopbackWebhooks, extensions }: Installation,
  organisation: Organisation,
  actor: Actor,
  requestId: string | null = null,
): Ctx => ({
  baseUrl,
  secrets,
  mailEnabled,
  loopbackWebhooks,
  extensions,
  organisation,
  now: clockOf(organisation),
  actor,
  requestId,
});

/** The actor of reactions and due work: the service itself. */
export const SYSTEM: Actor = { kind: "system", id: null, name: null, ip: null };

/** Whether the organisation's plan includes the feature (interface 12.2). */
export const hasFeature = (organisation: Organisation, feature: Feature): boolean =>
  PLANS[organisation.plan].features.includes(feature);

/** Throws 403 `plan_restricted` when the plan does not include the feature (interface 5.5). */
export function requireFeature(organisation: Organisation, feature: Feature): void {
  if (hasFeature(organisation, feature)) return;
  throw new ApiError(
    "plan_restricted",
    403,
    `Your plan does not include ${FEATURES[feature]}. Upgrade the plan to use it.`,
  );
}

/** Whether the organisation is read-only at `now` (interface 1.2). */
export const isReadOnlyNow = ({ organisation, now }: Pick<Ctx, "organisation" | "now">): boolean =>
  isReadOnly(statusOf(organisation, now));

/** Throws 403 `account_restricted` while the organisation is read-only (interface 1.2). */
export function requireWritable(ctx: Pick<Ctx, "organisation" | "now">): void {
  const status = statusOf(ctx.organisation, ctx.now);
  if (!isReadOnly(status)) return;
  const why = status === "expired" ? "The trial is over" : `The account is ${status}`;
  throw new ApiError("account_restricted", 403, `${why}, so it is read-only: reads still work, changes do not.`);
}

/** Throws 403 for a live organisation, which has neither a test clock nor a gateway that does as it is told (interface 13). */
export function requireSandbox({ organisation }: Pick<Ctx, "organisation">): void {
  if (organisation.sandbox) return;
  throw new ApiError(
    "permission_required",
    403,
    "Only a sandbox organisation has a test clock, and a gateway that does as it is told.",
  );
}

/** The limit that applies to the organisation: its own, else its plan's; null is unlimited (interface 12.2). */
export const quotaOf = (organisation: Organisation, quota: QuotaName): number | null =>
  organisation.limits[quota] ?? PLANS[organisation.plan].quotas[quota];

/** The default currency (interface 1.3). Standings and their balances are in this currency. */
export const DEFAULT_CURRENCY = "ZAR";
