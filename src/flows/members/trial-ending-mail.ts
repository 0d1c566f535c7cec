import { type Instant, instant, secondsBetween, toTimestamp } from "../../kernel/time.ts";
import { listByRole } from "../../modules/members/store.ts";
import { nextTrialNotice, trialNoticeAt } from "../../modules/organisations/states.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { trialEndingMail } from "../../templates/mails/trial-ending-of-organisation.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromTefo } from "../mail/senders.ts";

type TrialFacts = { readonly endsAt: string };

/** To the owners and admins: the organisation's own trial ends, and who must do what until then. */
export const ORGANISATION_TRIAL_MAIL = declareMail<TrialFacts>(
  "organisation-trial-ending",
  async (_tx, { organisation, baseUrl }, { facts, createdAt }) => {
    const endsAt = instant(facts.endsAt);
    return fromTefo(
      trialEndingMail({
        organisationName: organisation.name,
        slug: organisation.slug,
        sandbox: organisation.sandbox,
        endsAt,
        secondsLeft: secondsBetween(createdAt, endsAt),
        url: `${baseUrl}/dashboard`,
      }),
    );
  },
);

/**
 * `organisation.trial_ending`: mails the owners and admins of an organisation on trial that it ends, seven days and one
 * day before, once for each end and notice. A trial that was ended, or moved further away, is not announced. The caller
 * has locked the organisation. Returns when the next notice is due.
 */
export async function announceTrialEnding(tx: Tx, ctx: Ctx, organisation: Organisation): Promise<Instant | null> {
  const { state, trialEndsAt, id } = organisation;
  if (state !== "trial" || trialEndsAt === null) return null;
  const notice = trialNoticeAt(trialEndsAt, ctx.now);
  if (notice !== null) {
    const to = (await listByRole(tx, ["owner", "admin"])).map(({ email }) => email);
    const endsAt = toTimestamp(trialEndsAt);
    requestMail(tx, ctx, ORGANISATION_TRIAL_MAIL, {
      about: id,
      to,
      once: `organisation-trial:${endsAt}:${notice}`,
      facts: { endsAt },
    });
  }
  return nextTrialNotice(trialEndsAt, ctx.now);
}
