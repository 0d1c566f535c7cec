import { toNumber } from "../../kernel/decimal.ts";
import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { CreditNote } from "./types.ts";

/** Interface 2.14, credit note. */
export const creditNoteView = (note: CreditNote) => ({
  object: "credit_note" as const,
  id: note.id,
  number: note.number,
  status: note.status,
  customerId: note.customerId,
  amount: toRand(note.amount),
  remaining: toRand(note.remaining),
  currency: note.currency,
  reason: note.reason,
  transactionReference: note.transactionReference,
  ...exemption(note.taxExempt),
  ...(note.lines.length === 0
    ? {}
    : {
        lines: note.lines.map(({ description, taxRate, taxExempt, tax, amount }) => ({
          description,
          taxRate: toNumber(taxRate),
          ...exemption(taxExempt),
          taxAmount: toRand(tax),
          amount: toRand(amount),
        })),
      }),
  applications: note.applications.map(({ invoiceId, amount, appliedAt }) => ({
    invoiceId,
    amount: toRand(amount),
    appliedAt: toTimestamp(appliedAt),
  })),
  createdAt: toTimestamp(note.createdAt),
});
