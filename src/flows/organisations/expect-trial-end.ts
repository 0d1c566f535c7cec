import type { Instant } from "../../kernel/time.ts";
import { ORGANISATION_TRIAL_ENDING } from "../../modules/organisations/declarations.ts";
import { nextTrialNotice } from "../../modules/organisations/states.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";

/** Enqueues the next notice that the organisation's trial ends, or takes it back when there is none to come. */
export function expectTrialEnd(tx: Tx, { id, state, trialEndsAt }: Organisation, now: Instant): void {
  const next = state === "trial" && trialEndsAt !== null ? nextTrialNotice(trialEndsAt, now) : null;
  if (next === null) cancelWork(tx, ORGANISATION_TRIAL_ENDING, id);
  else enqueue(tx, ORGANISATION_TRIAL_ENDING, id, next);
}
