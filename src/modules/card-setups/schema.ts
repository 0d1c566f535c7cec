import { z } from "zod";
import { flag, metadata, optional, optionalNumber, timestamp } from "../../platform/schema.ts";
import { CARD_SETUP_FAILURES, CARD_SETUP_STATUSES } from "./types.ts";

/** Minutes that a session is open (interface 8). */
const MINUTES = { min: 5, max: 7 * 24 * 60 } as const;
/** Interface 4.11. */
export const DEFAULT_MINUTES = 24 * 60;

/** Body of `POST /customers/{id}/cards/setup` (interface 4.11); it may be left out. Unknown fields are refused. */
export const CardSetupCreate = z
  .strictObject({
    returnUrl: optional(z.string()).meta({ type: "string", format: "uri", maxLength: 1000 }),
    makeDefault: flag(true),
    expiresInMinutes: optionalNumber(z.int().min(MINUTES.min).max(MINUTES.max)),
    metadata: optional(metadata()),
  })
  .prefault({});
export type CardSetupCreateBody = z.output<typeof CardSetupCreate>;

/** Interface 2.9. */
export const CardSetupObject = z
  .object({
    object: z.literal("card_setup_session"),
    id: z.string(),
    customerId: z.string(),
    status: z.enum(CARD_SETUP_STATUSES),
    url: z.url(),
    returnUrl: z.string().nullable(),
    amount: z.number(),
    currency: z.string(),
    makeDefault: z.boolean(),
    cardId: z.string().nullable(),
    failureReason: z.enum(CARD_SETUP_FAILURES).nullable(),
    metadata: z.record(z.string(), z.string()),
    expiresAt: timestamp(),
    completedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "CardSetupSession" });
