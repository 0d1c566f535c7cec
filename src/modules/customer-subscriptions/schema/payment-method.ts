import { z } from "zod";
import { optional, text, timestamp } from "../../../platform/schema.ts";
import { COLLECTION_METHODS } from "../types.ts";

const ID_MAX = 100;

/** The methods to which a subscription can be changed. */
const CHOSEN_METHODS = ["invoice", "gateway", "debit_order"] as const;

const fields = {
  collectionMethod: z.enum(CHOSEN_METHODS, `must be one of ${CHOSEN_METHODS.join(", ")}`),
  cardId: optional(text(1, ID_MAX)).describe("With gateway, required: one of the customer's saved cards."),
  mandateId: optional(text(1, ID_MAX)).describe(
    "With debit_order: one of the customer's mandates. Left out, the subscription waits for a mandate that names it.",
  ),
};

interface Named {
  readonly collectionMethod: (typeof CHOSEN_METHODS)[number];
  readonly cardId: string | null;
  readonly mandateId: string | null;
}

/** Names a card with `gateway` alone, and a mandate with nothing but `debit_order`. */
const fitting = <Of extends z.ZodType<Named>>(body: Of) =>
  body
    .refine(({ collectionMethod, cardId }) => (collectionMethod === "gateway") === (cardId !== null), {
      path: ["cardId"],
      message: "cardId is required with gateway, and is for gateway only",
    })
    .refine(({ collectionMethod, mandateId }) => collectionMethod === "debit_order" || mandateId === null, {
      path: ["mandateId"],
      message: "mandateId is for debit_order only",
    });

/** Body of `POST /customer-subscriptions/{id}/payment-method` (interface 4.8). */
export const SubscriptionPaymentMethod = fitting(z.object(fields));
export type PaymentMethodBody = z.output<typeof SubscriptionPaymentMethod>;

/** Query of `GET /customer-subscriptions/{id}/payment-method-preview`. */
export const PaymentMethodQuery = fitting(
  z.object({ ...fields, collectionMethod: fields.collectionMethod.default("invoice") }),
);

/** What is done about an open invoice after the change. */
const NEXT_STEPS = ["under_way", "charged_now", "charged", "debited", "mailed", "page"] as const;

/** What a change of the payment method would do (interface 4.8). */
export const PaymentMethodPreview = z
  .object({
    object: z.literal("payment_method_preview"),
    subscriptionId: z.string(),
    collectionMethod: z.enum(COLLECTION_METHODS),
    changes: z.boolean().describe("False when it is collected in this way already."),
    nextBillingAt: timestamp().nullable(),
    nextDebitDate: z
      .string()
      .meta({ format: "date" })
      .nullable()
      .describe("The next date of the mandate that collects it from then on."),
    mailTo: z.string().nullable().describe("Where invoices are mailed."),
    invoices: z
      .array(
        z.object({
          id: z.string(),
          number: z.string(),
          amountDue: z.number(),
          currency: z.string(),
          next: z
            .enum(NEXT_STEPS)
            .describe(
              "`under_way`: a payment of it was begun and is left alone; the new method collects it if that fails. " +
                "`page`: a bank took its payment back, so that nothing collects it by itself.",
            ),
          at: timestamp()
            .nullable()
            .describe("When the card is charged; null while a batch that is not sent yet holds its debit."),
        }),
      )
      .describe("The open invoices, oldest first."),
    pausedMandates: z
      .array(z.object({ id: z.string(), accountReference: z.string() }))
      .describe("Mandates that collected it until then."),
    resumesMandate: z.boolean().describe("Whether the mandate is paused now, and is active again."),
    endsOwnAmount: z
      .number()
      .nullable()
      .describe("What the mandate has debited for itself until now, and debits no more."),
  })
  .meta({ id: "PaymentMethodPreview" });
export type PaymentMethodPreviewed = z.input<typeof PaymentMethodPreview>;
