import { z } from "zod";
import {
  currency,
  customerKey,
  filter,
  listQuery,
  money,
  optional,
  optionalNumber,
  percent,
  text,
  timestamp,
} from "../../platform/schema.ts";
import { CREDIT_NOTE_STATUSES } from "./types.ts";

const AMOUNT_MAX_RAND = 100_000_000;

/** Body of the dashboard's `POST /credit-notes`. `amount` includes VAT; `invoiceId` is the invoice that it corrects. */
export const CreditNoteCreate = z.object({
  customerId: customerKey(),
  invoiceId: optional(text(1, 100)),
  amount: money(AMOUNT_MAX_RAND),
  currency: optional(currency()),
  taxRate: optionalNumber(percent()),
  reason: text(1, 500),
});
export type CreditNoteCreateBody = z.output<typeof CreditNoteCreate>;

/** Query of `GET /credit-notes`. */
export const CreditNoteQuery = listQuery(["cn"], {
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
    applications: z.array(z.object({ invoiceId: z.string(), amount: z.number(), appliedAt: timestamp() })),
    createdAt: timestamp(),
  })
  .meta({ id: "CreditNote" });
