import { z } from "zod";
import { AGREEMENT_STATUSES } from "../../domain/mandate-agreement.ts";
import {
  customerKey,
  customerName,
  customerReference,
  EXEMPT_HAS_NO_RATE,
  includedTax,
  includedTaxShown,
} from "../../domain/schema.ts";
import {
  filter,
  flag,
  frequency,
  money,
  oneOf,
  optional,
  optionalNumber,
  recordQuery,
  text,
  textOrNull,
  timestamp,
} from "../../platform/schema.ts";
import { date, dateAsked } from "../../platform/schema-dates.ts";
import { ACCOUNT_TYPES, AUTHORITIES, MANDATE_STAGES, MANDATE_STATUSES } from "./types.ts";

/** Interface 8.2. */
const AMOUNT_MAX_RAND = 1_000_000;
const DIGITS = { min: 5, max: 20 } as const;

const debitDay = () =>
  z.int("must be a whole number from 1 to 31").min(1, "must be at least 1").max(31, "must be at most 31");

/** Digits alone: spaces and dashes are removed (interface 4.10). */
const accountNumber = () =>
  z
    .string()
    .transform((value, context) => {
      const digits = value.replaceAll(/[\s-]/gu, "");
      if (/^\d+$/.test(digits) && digits.length >= DIGITS.min && digits.length <= DIGITS.max) return digits;
      context.addIssue({
        code: "custom",
        // The number itself must not appear in an answer.
        input: null,
        message: `must be ${DIGITS.min} to ${DIGITS.max} digits; spaces and dashes are ignored`,
      });
      return z.NEVER;
    })
    .meta({ pattern: "^[0-9 -]+$" });

const bank = z.object({
  name: optional(textOrNull(60)),
  branchCode: z
    .string()
    .trim()
    .regex(/^\d{6}$/, "must be 6 digits"),
  accountNumber: accountNumber(),
  accountHolder: text(2, 30),
  accountType: optional(z.enum(ACCOUNT_TYPES)),
});

/** Body of `POST /mandates` (interface 4.10). Unknown fields are ignored. */
export const MandateCreate = z
  .object({
    customerId: customerKey(),
    customer: optional(customerName()),
    bank,
    amount: money(AMOUNT_MAX_RAND),
    frequency: optional(frequency()),
    debitDay: optionalNumber(debitDay()),
    startDate: optional(date()),
    endDate: optional(date()),
    providerId: optional(text(1, 100)),
    productId: optional(text(1, 100)),
    ...includedTax,
    subscriptionId: optional(text(1, 100)),
    description: optional(textOrNull(500)),
    idNumber: optional(text(0, 20).transform((value) => value || null)),
    notes: optional(textOrNull(2000)),
    authority: optional(z.enum(AUTHORITIES)),
    confirmOfflineMandate: flag(false),
  })
  .refine(({ customerId, customer }) => (customerId === null) !== (customer === null), {
    path: ["customerId"],
    error: "Send exactly one of customerId and customer",
  })
  .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told)
  .refine(({ authority, confirmOfflineMandate }) => authority !== "offline" || confirmOfflineMandate, {
    path: ["confirmOfflineMandate"],
    error: "must be true: it confirms that you hold the signed mandate",
  });
export type MandateCreateBody = z.output<typeof MandateCreate>;

/** Body of `PATCH /mandates/{id}` (interface 4.10). */
export const MandatePatch = z
  .object({
    amount: money(AMOUNT_MAX_RAND).optional(),
    debitDay: debitDay().optional(),
    status: z.enum(["paused", "active", "cancelled"]).optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: "Send at least one of amount, debitDay and status",
  });

/** Query of `GET /mandates`; `q` and `startingAfter` serve the dashboard's list (interface 14.3). */
export const MandateQuery = recordQuery(["man"], {
  customerId: filter(),
  status: oneOf(MANDATE_STATUSES),
  accountReference: filter(),
  nextDebitDate: dateAsked().optional().describe("Those that are debited next on this day."),
});

/** Body of `POST /mandates/{id}/reject` (interface 14.2). */
export const MandateReject = z.object({ reason: text(1, 500) });

const nullable = z.string().nullable();
const day = () => z.string().meta({ format: "date" });

/** Interface 2.8. */
export const MandateObject = z
  .object({
    object: z.literal("mandate"),
    id: z.string(),
    accountReference: z.string(),
    status: z.enum(MANDATE_STATUSES),
    stage: z.enum(MANDATE_STAGES),
    customerId: z.string(),
    customer: customerReference(),
    productId: nullable,
    subscriptionId: nullable,
    description: z.string(),
    amount: z.number(),
    currency: z.literal("ZAR"),
    ...includedTaxShown,
    frequency: frequency(),
    debitDay: z.int(),
    startDate: day().nullable(),
    endDate: day().nullable(),
    nextDebitDate: day().nullable(),
    lastCollectedAt: day().nullable(),
    bank: z.object({
      name: nullable,
      branchCode: z.string(),
      accountType: z.enum(ACCOUNT_TYPES),
      accountHolder: z.string(),
      accountNumberLast4: z.string(),
    }),
    idNumberLast4: nullable,
    eMandateUrl: nullable,
    authorisedAt: timestamp().nullable(),
    authorityLostAt: timestamp()
      .optional()
      .describe(
        "When the bank said that there is no authority to debit; it is paused until a new agreement is signed. Absent otherwise.",
      ),
    approvedAt: timestamp().nullable(),
    rejectedAt: timestamp().nullable(),
    rejectionReason: nullable,
    failureCount: z.int(),
    agreement: z.object({
      signed: z.boolean(),
      signedAt: timestamp().nullable(),
      latest: z.object({ id: z.string(), status: z.enum(AGREEMENT_STATUSES) }).nullable(),
    }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Mandate" });

/** Data of `mandate.*` events (interface 6). The account holder's name is erased with the customer. */
export const MandateEventData = MandateObject.extend({
  bank: MandateObject.shape.bank.extend({ accountHolder: nullable.describe("Null once the customer was erased.") }),
}).meta({ id: "MandateOfEvent" });

/** Data of `mandate.debit_*` events (interface 6). */
export const MandateDebitEventData = MandateEventData.extend({
  debit: z.object({
    transactionReference: z.string(),
    amount: z.number(),
    actionDate: day().describe("The day on which it was collected, or should have been."),
    code: nullable.describe("The bank's code, such as `02`; null for a collected debit, and where there is none."),
    reason: nullable.describe("In the bank's words; null for a collected debit."),
  }),
}).meta({ id: "MandateDebit" });

/** The answer of `POST /mandates` (interface 4.10). */
export const CreatedMandate = MandateObject.extend({
  warnings: z.array(z.string()),
  agreementSent: z
    .object({ id: z.string(), emailed: z.boolean(), expiresAt: timestamp() })
    .optional()
    .describe("With authority agreement."),
}).meta({ id: "CreatedMandate" });
