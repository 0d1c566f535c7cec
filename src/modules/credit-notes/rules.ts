import { type Cents, cents, subtract } from "../../kernel/money.ts";
import type { CreditNote, CreditNoteStatus } from "./types.ts";

/** The status of a credit note, which follows from its remaining amount (interface 4.14). */
export function statusFor({ amount, remaining }: Pick<CreditNote, "amount" | "remaining">): CreditNoteStatus {
  if (remaining === 0) return "applied";
  return remaining === amount ? "issued" : "partially_applied";
}

/** Divides the remaining amount of a credit note into the part that is applied to an invoice with `due` open, and the rest; both in cents. */
export function splitCredit(remaining: Cents, due: Cents): { applied: Cents; remaining: Cents } {
  const applied = cents(Math.min(remaining, due));
  return { applied, remaining: subtract(remaining, applied) };
}
