import { z } from "zod";
import { currency, exactMoney, metadata, optional, text, timestamp } from "../../platform/schema.ts";
import { CHARGE_MAX_RAND } from "./rules.ts";
import { CARD_CHARGE_STATUSES } from "./types.ts";

/** Body of `POST /customers/{id}/cards/{cardId}/charges` (interface 4.11); unknown fields are refused (interface 4.1). */
export const CardChargeCreate = z.strictObject({
  amount: exactMoney(CHARGE_MAX_RAND),
  currency: optional(currency().refine((code) => code === "ZAR", "must be ZAR")),
  description: text(1, 255),
  externalReference: text(1, 100),
  metadata: optional(metadata()),
});
export type CardChargeCreateBody = z.output<typeof CardChargeCreate>;

/** Interface 2.9, card charge. */
export const CardChargeObject = z
  .object({
    object: z.literal("card_charge"),
    id: z.string(),
    reference: z.string(),
    status: z.enum(CARD_CHARGE_STATUSES),
    amount: z.number(),
    currency: z.string(),
    description: z.string().nullable(),
    externalReference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    customerId: z.string(),
    card: z.object({ id: z.string(), brand: z.string(), last4: z.string() }),
    failureReason: z.string().nullable(),
    paidAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "CardCharge" });
