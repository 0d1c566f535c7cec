import { invalid } from "../../kernel/errors.ts";
import { isDeletable } from "../../modules/quotes/states.ts";
import { deleteQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { lockCurrentQuote } from "./quote-steps.ts";

/**
 * Deletes a draft (interface 4.6, DELETE). There is no event, and the number is not used again. Locks the quote. Throws 404; 400
 * unless it is a draft.
 */
export async function deleteDraft(tx: Tx, ctx: Ctx, key: string): Promise<Quote> {
  const quote = await lockCurrentQuote(tx, ctx, key);
  if (!isDeletable(quote.status))
    throw invalid(`Quote ${quote.number} is ${quote.status}. Only a draft can be deleted.`);
  deleteQuote(tx, quote.id);
  return quote;
}
