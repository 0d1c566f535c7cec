import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { statusOf } from "./states.ts";
import type { Organisation } from "./types.ts";

/** The organisation as operators see it, at `now` of its own clock (interface 12.1). */
export const organisationView = (organisation: Organisation, now: Instant) => ({
  id: organisation.id,
  slug: organisation.slug,
  name: organisation.name,
  plan: organisation.plan,
  status: statusOf(organisation, now),
  sandbox: organisation.sandbox,
  trialEndsAt: toTimestampOrNull(organisation.trialEndsAt),
  limits: organisation.limits,
  rateLimit: organisation.rateLimit,
  clockAt: toTimestampOrNull(organisation.clockAt),
  createdAt: toTimestamp(organisation.createdAt),
});
