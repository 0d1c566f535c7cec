import { type Instant, instant, toTimestamp } from "../../kernel/time.ts";
import { listByRole } from "../../modules/members/store.ts";
import type { DisabledReason, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { endpointDisabledMail } from "../../templates/mails/endpoint-disabled.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromTefo } from "../mail/senders.ts";

/**
 * Why the endpoint was disabled. The request stores it, since the endpoint may be enabled, changed or deleted before
 * the mail is written.
 */
type EndpointFacts = {
  readonly endpointUrl: string;
  readonly reason: DisabledReason;
  readonly failingSince: string;
  readonly lastError: string;
};

/** To the owners: a webhook endpoint was disabled. */
export const ENDPOINT_DISABLED_MAIL = declareMail<EndpointFacts>(
  "endpoint-disabled",
  async (_tx, ctx, { facts, createdAt }) =>
    fromTefo(
      endpointDisabledMail({
        organisationName: ctx.organisation.name,
        sandbox: ctx.organisation.sandbox,
        endpointUrl: facts.endpointUrl,
        reason: facts.reason,
        failingSince: instant(facts.failingSince),
        disabledAt: createdAt,
        lastError: facts.lastError,
        url: `${ctx.baseUrl}/dashboard/webhook-endpoints`,
      }),
    ),
);

/**
 * Requests the mail to the owners that a webhook endpoint was disabled at `ctx.now`. Does nothing when there are no
 * owners.
 */
export async function mailEndpointDisabled(
  tx: Tx,
  ctx: Ctx,
  { id, url }: WebhookEndpoint,
  { reason, failingSince, lastError }: { reason: DisabledReason; failingSince: Instant; lastError: string },
): Promise<void> {
  const owners = await listByRole(tx, ["owner"]);
  requestMail(tx, ctx, ENDPOINT_DISABLED_MAIL, {
    about: id,
    to: owners.map(({ email }) => email),
    once: `endpoint-disabled:${id}:${toTimestamp(ctx.now)}`,
    facts: { endpointUrl: url, reason, failingSince: toTimestamp(failingSince), lastError },
  });
}
