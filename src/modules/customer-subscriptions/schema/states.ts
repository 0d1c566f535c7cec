import { z } from "zod";
import { flag, metadata, optional, optionalNumber, text, whole } from "../../../platform/schema.ts";
import { dayOrTime } from "../../../platform/schema-dates.ts";
import { EXTERNAL_REFERENCE_MAX } from "../types.ts";

const CANCEL_REASON_MAX = 500;

/** Body of `POST /customer-subscriptions/{id}/cancel` (interface 4.8): without `when` and `atPeriodEnd` it is cancelled now. */
export const SubscriptionCancel = z
  .object({
    when: optional(z.enum(["now", "period_end"], "must be now or period_end")),
    atPeriodEnd: z.boolean("must be true or false").nullish(),
    reason: optional(text(0, CANCEL_REASON_MAX)).transform((reason) => reason || null),
    sendEmail: flag(true),
  })
  .refine(({ when, atPeriodEnd }) => when === null || atPeriodEnd == null || (when === "period_end") === atPeriodEnd, {
    path: ["atPeriodEnd"],
    message: "contradicts when; send one of them",
  })
  .transform(({ when, atPeriodEnd, ...rest }) => ({
    when: when ?? (atPeriodEnd ? ("period_end" as const) : ("now" as const)),
    ...rest,
  }))
  .prefault({});
export type SubscriptionCancelBody = z.output<typeof SubscriptionCancel>;

/** Body of `POST /customer-subscriptions/{id}/reactivate` (interface 4.8). */
export const SubscriptionReactivate = z
  .object({
    nextBillingAt: optional(dayOrTime()),
    chargeNow: optional(z.boolean("must be true or false")),
  })
  .default({ nextBillingAt: null, chargeNow: null });
export type SubscriptionReactivateBody = z.output<typeof SubscriptionReactivate>;

/** Body of `PATCH /customer-subscriptions/{id}` (interface 4.8). A field that is left out stays. */
export const SubscriptionPatch = z.object({
  nextBillingAt: optional(dayOrTime()),
  billingAnchorDay: optionalNumber(whole(1, 31)),
  metadata: metadata().optional(),
  externalReference: text(1, EXTERNAL_REFERENCE_MAX).nullable().optional(),
});
export type SubscriptionPatchBody = z.output<typeof SubscriptionPatch>;
