import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { lockCurrentQuote } from "./quote-steps.ts";

/** Due work `quote.expire`, when the last day of a sent quote is over. Nothing is left to do again. */
export async function expireQuote(tx: Tx, ctx: Ctx, _services: Services, id: string): Promise<null> {
  await lockCurrentQuote(tx, ctx, id);
  return null;
}
