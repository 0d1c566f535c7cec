import { z } from "zod";
import { customerName } from "../../domain/schema.ts";
import {
  currency,
  filter,
  flag,
  metadata,
  metadataFilter,
  money,
  oneOf,
  optional,
  recordQuery,
  text,
  textAsGiven,
  timestamp,
} from "../../platform/schema.ts";
import { dateTime } from "../../platform/schema-dates.ts";
import { EFT_STATUSES } from "./types.ts";

/** Interface 4.9. */
const AMOUNT_MAX_RAND = 10_000_000;

/** Body of `POST /eft-orders` (interface 4.9). Unknown fields are ignored. */
export const EftOrderCreate = z.object({
  amount: money(AMOUNT_MAX_RAND),
  currency: optional(currency()),
  description: optional(textAsGiven(255)),
  externalReference: optional(text(1, 100)),
  metadata: optional(metadata()),
  customer: optional(customerName()),
  expiresAt: optional(dateTime()),
  notifyPayer: flag(false),
});
export type EftOrderCreateBody = z.output<typeof EftOrderCreate>;

/** Query of `GET /eft-orders`; `q` and `startingAfter` serve the dashboard's list (interface 14.3). */
export const EftOrderQuery = recordQuery(["eft"], {
  metadata: metadataFilter(),
  status: oneOf(EFT_STATUSES),
  currency: filter(),
  externalReference: filter(),
  customerId: filter(),
});

/** Body of `POST /eft-orders/{id}/reject` (interface 14.2). */
export const EftOrderReject = z.object({ reason: text(1, 500) });

/** Interface 2.11. */
export const EftOrderObject = z
  .object({
    id: z.string(),
    reference: z.string(),
    status: z.enum(EFT_STATUSES),
    amount: z.number(),
    currency: z.string(),
    description: z.string().nullable(),
    externalReference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    customer: z.object({ id: z.string(), externalReference: z.string().nullable() }).nullable(),
    bankDetails: z.object({
      bankName: z.string(),
      accountName: z.string(),
      accountNumber: z.string(),
      branchCode: z.string(),
      accountType: z.string(),
    }),
    paymentReference: z.string(),
    payUrl: z.url(),
    proofs: z.array(
      z.object({
        id: z.string(),
        fileName: z.string(),
        contentType: z.string(),
        size: z.int(),
        source: z.enum(["api", "dashboard", "payer"]),
        createdAt: timestamp(),
      }),
    ),
    rejectionReason: z.string().nullable(),
    expiresAt: timestamp().nullable(),
    reviewedAt: timestamp().nullable(),
    paidAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "EftOrder" });
