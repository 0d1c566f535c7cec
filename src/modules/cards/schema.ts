import { z } from "zod";
import { CARD_BRANDS } from "../../domain/card-brands.ts";
import { oneOf, pageQuery, timestamp } from "../../platform/schema.ts";
import { CARD_SOURCES, CARD_STATUSES } from "./types.ts";

/** Query of `GET /customers/{id}/cards` (interface 4.11). */
export const CardQuery = pageQuery(["card"], { includeRemoved: oneOf(["true", "false"]) });

/** Interface 2.9, as events carry it: without `chargeable`, which changes without the card. */
export const CardEventData = z
  .object({
    object: z.literal("card"),
    id: z.string(),
    customerId: z.string(),
    brand: z.enum(CARD_BRANDS),
    last4: z.string(),
    expiryMonth: z.int().nullable(),
    expiryYear: z.int().nullable(),
    holderName: z.string().nullable(),
    isDefault: z.boolean(),
    status: z.enum(CARD_STATUSES),
    expiring: z.boolean(),
    source: z.enum(CARD_SOURCES),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
  })
  .meta({ id: "CardEventData" });

/** The card as the API answers it: with whether it can be charged now (interface 2.9). */
export const CardObject = CardEventData.extend({ chargeable: z.boolean() }).meta({ id: "Card" });

/** Data of `customer.payment_method.added` (interface 6). */
export const AddedCardEventData = CardEventData.extend({
  customer: z.object({ id: z.string(), externalReference: z.string().nullable() }),
}).meta({ id: "AddedCardEventData" });
