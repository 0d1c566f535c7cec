import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { isMetered } from "../../modules/customer-subscriptions/rules/planner/usage.ts";
import { statesOf } from "../../modules/customer-subscriptions/store/usage.ts";
import { REMEMBERED_DAYS } from "../../modules/usage-events/schema.ts";
import { deleteUsageEvents, deleteValues, roundsWithValues } from "../../modules/usage-events/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

const AT_ONCE = 10_000;

/** The subject of the work: a month. */
export const month = (_tx: Tx, subject: string): Promise<string> => Promise.resolve(subject);

/**
 * `usage_events.forget`: removes events whose ids may be used again, and the values of periods that are billed
 * (interface 16.24). Answers when to go on; null when nothing is left.
 */
export async function forgetUsage(tx: Tx, ctx: Ctx): Promise<Instant | null> {
  const forgotten = addSeconds(ctx.now, -REMEMBERED_DAYS * DAY_SECONDS);
  const [events, values] = [await deleteUsageEvents(tx, forgotten, AT_ONCE), await forgetValues(tx)];
  return events === AT_ONCE || values === AT_ONCE ? ctx.now : null;
}

/** Removes values of rounds that no item is in any more; answers how many. */
async function forgetValues(tx: Tx): Promise<number> {
  const rounds = await roundsWithValues(tx);
  if (rounds.length === 0) return 0;
  const states = await statesOf(tx, [...new Set(rounds.map(({ subscriptionId }) => subscriptionId))]);
  const items = states.flatMap(({ terms }) => terms.items).filter(isMetered);
  const open = new Set(items.flatMap(({ counting, ahead }) => [counting?.round, ahead?.round]));
  const ended = rounds.map(({ round }) => round).filter((round) => !open.has(round));
  return deleteValues(tx, ended, AT_ONCE);
}
