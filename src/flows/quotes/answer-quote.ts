import type { QuoteId } from "../../kernel/ids.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import type { QuoteStatus } from "../../modules/quotes/types.ts";
import { type Ctx, requireWritable } from "../context.ts";
import { isErased } from "../customers/identified-customer.ts";
import type { Services } from "../services.ts";
import { markLocked } from "./mark-quote.ts";
import { lockCurrentQuote } from "./quote-steps.ts";

const ANSWERS = { accept: "accepted", decline: "declined" } as const;

/** A customer's answer on the quote's page. */
export type QuoteAnswer = keyof typeof ANSWERS;

/**
 * Records the customer's answer on the quote's page. Only a sent quote accepts one: of two simultaneous answers the
 * first counts, and the other gets the quote's status. The same answer again counts as accepted; an answer for an
 * erased customer is refused. `by`: the name of the person who accepts; null when none was given. Locks the
 * quote. Throws 404, 403 `account_restricted`.
 */
export function answerQuote(
  services: Services,
  ctx: Ctx,
  id: QuoteId,
  answer: QuoteAnswer,
  by: string | null,
): Promise<{ taken: boolean; status: QuoteStatus }> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    requireWritable(ctx);
    const before = await lockCurrentQuote(tx, ctx, id);
    if (before.status !== "sent") return { taken: before.status === ANSWERS[answer], status: before.status };
    if (await isErased(tx, before.customer)) return { taken: false, status: before.status };
    const { status, acceptedBy } = await markLocked(tx, ctx, before, answer, by);
    recordAudit(tx, {
      ...ctx,
      action: "POST /quote/{token}",
      subject: id,
      before: { status: before.status },
      after: acceptedBy !== null && status === "accepted" ? { status, acceptedBy } : { status },
    });
    return { taken: true, status };
  });
}
