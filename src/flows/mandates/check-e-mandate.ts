import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { lockMandate } from "../../modules/mandates/store.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { askForEMandate } from "./ask-provider.ts";
import { applyAnswer } from "./settle-mandate.ts";

/** Seconds after which the gateway is first asked about an electronic mandate; the intervals then grow to a week. */
export const CHECK_AFTER_SECONDS = 60;
const LONGEST_SECONDS = 7 * DAY_SECONDS;

/**
 * `mandate.check`: asks the gateway about an electronic mandate that its customer has not answered, and applies the
 * answer. Returns when to ask again, or null when it is answered or the mandate is stopped.
 */
export async function checkEMandate(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const answer = await askForEMandate(services, ctx, id);
  if (answer === null) return null;
  const mandate = await services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = await lockMandate(tx, id);
    return locked && applyAnswer(tx, ctx, locked, answer);
  });
  if (!mandate || stageOf(mandate) !== "awaiting_signature") return null;
  const age = secondsBetween(mandate.createdAt, ctx.now);
  return addSeconds(ctx.now, Math.min(LONGEST_SECONDS, CHECK_AFTER_SECONDS + age));
}
