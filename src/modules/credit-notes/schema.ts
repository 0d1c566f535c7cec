import { z } from "zod";
import { customerKey, EXEMPT_HAS_NO_RATE, exemptMark, taxExempt, taxRate } from "../../domain/schema.ts";
import {
  currency,
  filter,
  money,
  optional,
  optionalNumber,
  recordQuery,
  text,
  timestamp,
} from "../../platform/schema.ts";
import { CREDIT_NOTE_STATUSES } from "./types.ts";

const AMOUNT_MAX_RAND = 100_000_000;

const LINES_MAX = 200;

/** A line of a credit note; `amount` includes VAT. */
const CreditNoteLineBody = z
  .object({
    description: optional(text(1, 1000)),
    amount: money(AMOUNT_MAX_RAND),
    taxRate: optionalNumber(taxRate()),
    taxExempt: taxExempt(),
  })
  .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told);

/**
 * Body of the dashboard's `POST /credit-notes`. `amount` includes VAT, and is the total of the lines when there are any; `invoiceId` is the
 * invoice that it corrects.
 */
export const CreditNoteCreate = z
  .object({
    customerId: customerKey(),
    invoiceId: optional(text(1, 100)),
    amount: optionalNumber(money(AMOUNT_MAX_RAND)),
    lines: optional(
      z
        .array(CreditNoteLineBody)
        .min(1, "must have at least 1 line")
        .max(LINES_MAX, `must have at most ${LINES_MAX} lines`),
    ),
    currency: optional(currency()),
    taxRate: optionalNumber(taxRate()),
    taxExempt: taxExempt(),
    reason: text(1, 500),
  })
  .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told);
export type CreditNoteCreateBody = z.output<typeof CreditNoteCreate>;

/** Query of `GET /credit-notes`. */
export const CreditNoteQuery = recordQuery(["cn"], {
  customerId: filter(),
});

/** Interface 2.14, credit note. */
export const CreditNoteObject = z
  .object({
    object: z.literal("credit_note"),
    id: z.string(),
    number: z.string(),
    status: z.enum(CREDIT_NOTE_STATUSES),
    customerId: z.string(),
    amount: z.number(),
    remaining: z.number(),
    currency: z.string(),
    reason: z.string(),
    transactionReference: z.string().nullable(),
    taxExempt: exemptMark(),
    lines: z
      .array(
        z.object({
          description: z.string(),
          taxRate: z.number(),
          taxExempt: exemptMark(),
          taxAmount: z.number(),
          amount: z.number(),
        }),
      )
      .optional()
      .describe("Of a note with several VAT rates; amounts include VAT."),
    applications: z.array(z.object({ invoiceId: z.string(), amount: z.number(), appliedAt: timestamp() })),
    createdAt: timestamp(),
  })
  .meta({ id: "CreditNote" });
