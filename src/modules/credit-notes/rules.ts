import { type Cents, cents, subtract } from "../../kernel/money.ts";
import type { CreditNote, CreditNoteStatus } from "./types.ts";

/** Interface 4.14: how much is left says it all. */
export function statusFor({ amount, remaining }: Pick<CreditNote, "amount" | "remaining">): CreditNoteStatus {
  if (remaining === 0) return "applied";
  return remaining === amount ? "issued" : "partially_applied";
}

/** What an invoice with `due` open takes of what is left; the two conserve every cent. */
export function splitCredit(remaining: Cents, due: Cents): { applied: Cents; remaining: Cents } {
  const applied = cents(Math.min(remaining, due));
  return { applied, remaining: subtract(remaining, applied) };
}
