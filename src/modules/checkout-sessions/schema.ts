import { z } from "zod";
import { STAGES } from "../../domain/funnel.ts";
import { truncate } from "../../kernel/text.ts";
import {
  clearable,
  currency,
  filter,
  metadata,
  metadataFilter,
  oneOf,
  optional,
  recordQuery,
  text,
  timestamp,
} from "../../platform/schema.ts";
import { CHECKOUT_SOURCES, CHECKOUT_STATUSES, type Prefill } from "./types.ts";

const EMAIL_MAX = 200;
/** Longer values are accepted up to their limits, and cut (interface 4.12). */
const STORED_MAX = 100;

const stored = (max: number) =>
  clearable(max)
    .optional()
    .transform((value) => (value ? truncate(value, STORED_MAX).trimEnd() : null));
const emailOrNone = () =>
  text(0, EMAIL_MAX)
    .refine(
      (value) => value === "" || z.email().safeParse(value).success,
      "must be an e-mail address such as thandi@example.co.za",
    )
    .transform((value) => value || null)
    .nullish()
    .transform((value) => value ?? null);

/** The payer; an empty text counts as left out. */
const payer = () =>
  z
    .object(
      {
        email: emailOrNone(),
        firstName: stored(100),
        lastName: stored(100),
        phone: stored(30),
        company: stored(200),
        companyName: stored(200),
      },
      "must be an object",
    )
    .transform(({ companyName, company, ...rest }): Prefill => {
      const known = Object.entries({ ...rest, company: company ?? companyName }).filter(([, value]) => value !== null);
      return Object.fromEntries(known);
    });

const given = {
  packageId: optional(text(1, 100)),
  productId: optional(text(1, 100)),
  returnUrl: optional(z.string()).meta({ type: "string", format: "uri", maxLength: 1000 }),
  couponCode: clearable(50)
    .optional()
    .transform((value) => value ?? null),
  metadata: optional(metadata()),
};

/** When both `customer` and `client` are sent, `customer` counts and `client` is not read. */
const onlyCustomer = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "customer" in body && body.customer != null
    ? { ...body, client: undefined }
    : body;

/** Body of `POST /checkout-sessions` (interface 4.12). Unknown fields are ignored. */
export const CheckoutSessionCreate = z.preprocess(
  onlyCustomer,
  z.object({
    ...given,
    planId: optional(text(1, 100)),
    currency: optional(currency()).describe("One in which the plans have prices; without it each plan's own."),
    customer: optional(payer()),
    client: optional(payer()),
  }),
);
/** The parsed body of a create. */
export type CheckoutSessionCreateBody = z.output<typeof CheckoutSessionCreate>;

/** Body of `POST /api/billing-webhook/checkout` (interface 4.12); `subscriptionId` is the plan's id. */
export const CompatibleCheckout = z
  .object({ ...given, subscriptionId: optional(text(1, 100)), client: optional(payer()) })
  .transform(
    ({ subscriptionId, ...rest }): CheckoutSessionCreateBody => ({
      ...rest,
      planId: subscriptionId,
      currency: null,
      customer: null,
    }),
  );

/** Query of `GET /checkout-sessions`; `q` and `startingAfter` serve the dashboard's list (interface 14.3). */
export const CheckoutSessionQuery = recordQuery(["chk"], {
  metadata: metadataFilter(),
  status: oneOf(CHECKOUT_STATUSES),
  customerId: filter(),
  reached: oneOf(STAGES).describe("Those that a payer has opened, whose form was sent, or that were completed."),
});
/** As the store receives it. */
export type CheckoutSessionQueried = z.output<typeof CheckoutSessionQuery>;

const session = {
  object: z.literal("checkout_session"),
  id: z.string(),
  status: z.enum(CHECKOUT_STATUSES),
  source: z.enum(CHECKOUT_SOURCES),
  checkoutUrl: z.url().nullable().describe("While it can be used; always null for hosted sessions."),
  packageId: z.string().nullable(),
  planId: z.string().nullable(),
  currency: z.string().optional().describe("In which the plans are offered, where the session was made with one."),
  productId: z.string().nullable(),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  couponCode: z.string().nullable(),
  returnUrl: z.string().nullable(),
  prefill: z.object({
    email: z.string().optional(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    phone: z.string().optional(),
    company: z.string().optional(),
  }),
  metadata: z.record(z.string(), z.string()),
  transaction: z
    .object({
      id: z.string(),
      reference: z.string(),
      status: z.enum(["pending", "complete", "failed", "cancelled", "refunded", "partially_refunded"]),
      amount: z.number(),
      currency: z.string(),
      discountAmount: z.number(),
      taxAmount: z.number().nullable(),
      paidAt: timestamp().nullable(),
    })
    .nullable(),
  expiresAt: timestamp(),
  usedAt: timestamp().nullable(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

/** Interface 2.10. */
export const CheckoutSessionObject = z.object(session).meta({ id: "CheckoutSession" });

/** Interface 4.12, the answer to a create: it repeats the id. */
export const CreatedCheckoutSession = z
  .object({ ...session, sessionId: z.string() })
  .meta({ id: "CreatedCheckoutSession" });

/** The answer of the compatibility endpoint. */
export const CompatibleCheckoutReply = z.object({
  checkoutUrl: z.url(),
  sessionId: z.string(),
  expiresAt: timestamp(),
});
