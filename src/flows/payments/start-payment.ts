import type { StartedPayment } from "../../gateways/contract.ts";
import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { type EftOrderId, newId, type PaymentLinkId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { newCheckoutReference } from "../../kernel/references.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Unavailable } from "../../modules/payment-links/rules.ts";
import { lockPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { PAYMENT_CHECK } from "../../modules/payments/declarations.ts";
import { newTransaction, nextCheck } from "../../modules/payments/rules.ts";
import { HANDOFF_COLUMN, insertTransaction, recordHandoff } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { violatedUnique } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { eftOrderOfLink } from "../eft-orders/eft-order-of-link.ts";
import { type Gateway, gatewayCallOf, isSandboxPayment, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { payabilityAtStart } from "./payability.ts";
import { settlePayment } from "./settle-payment.ts";

/** What the payer chose and entered on the page. */
export interface PayerChoice {
  readonly gatewayId: string;
  /** In cents, a part of an invoice's balance; null is all of it. */
  readonly amount: Cents | null;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** Where the payer's browser goes next. */
export type PaymentStart =
  | { readonly kind: "unavailable"; readonly why: Unavailable }
  | { readonly kind: "not_offered" }
  | { readonly kind: "redirect"; readonly reference: string; readonly url: string }
  /** A bank transfer: the next page is the EFT order's, with the bank details. */
  | { readonly kind: "transfer"; readonly order: EftOrderId }
  | { readonly kind: "form"; readonly reference: string }
  | { readonly kind: "refused"; readonly reference: string }
  /** The gateway gave no clear answer: the payment stays pending, due work asks about it, and the payer may try again. */
  | { readonly kind: "unclear"; readonly reference: string };

interface Attempt {
  readonly transaction: Transaction;
  readonly gateway: Gateway;
  readonly link: PaymentLink;
  readonly customer: Customer | null;
}

/**
 * Starts a payment (interface 3.1, first row): records it as pending, commits, calls the gateway, records the answer
 * (docs/architecture.md, The path of a payment). `pages` gives the URLs of its return and cancel pages by its reference. Locks the
 * payment link.
 */
export async function startPayment(
  services: Services,
  ctx: Ctx,
  linkId: PaymentLinkId,
  choice: PayerChoice,
  pages: (reference: string) => { returnUrl: string; cancelUrl: string },
): Promise<PaymentStart> {
  const attempt = await recordAttempt(services, ctx, linkId, choice);
  if ("kind" in attempt) return attempt;
  const { transaction } = attempt;
  const { reference } = transaction;
  const about = { payment: reference, gateway: transaction.gatewayAccountId };
  const answer = await askGateway(services, about, () => callGateway(services, ctx, attempt, choice, pages(reference)));
  if (answer === "unclear") return { kind: "unclear", reference };
  const { organisation } = ctx;
  return services.db.transaction(organisation.id, async (tx) => {
    if (answer.kind === "refused") {
      const reportedBy = { accountId: transaction.gatewayAccountId, source: "query" } as const;
      await settlePayment(tx, ctx, reportedBy, declinedFactOf(transaction, answer.reason));
      return { kind: "refused", reference };
    }
    const form = answer.kind === "form" ? JSON.stringify({ action: answer.action, fields: answer.fields }) : null;
    recordHandoff(tx, transaction.id, {
      checkoutRef: answer.checkoutRef,
      sealed: form && services.secrets.seal(form, { organisation: organisation.id, column: HANDOFF_COLUMN }),
    });
    return answer.kind === "form" ? { kind: "form", reference } : { kind: "redirect", reference, url: answer.url };
  });
}

type NoAttempt = Extract<PaymentStart, { kind: "unavailable" | "not_offered" | "transfer" }>;

async function recordAttempt(
  services: Services,
  ctx: Ctx,
  linkId: PaymentLinkId,
  choice: PayerChoice,
): Promise<Attempt | NoAttempt> {
  for (;;) {
    try {
      return await services.db.transaction(ctx.organisation.id, async (tx) => {
        const link = await lockPaymentLink(tx, linkId);
        if (!link) return { kind: "unavailable", why: "deactivated" };
        const { unavailable, gateways, amount } = await payabilityAtStart(tx, ctx, link);
        if (unavailable) return { kind: "unavailable", why: unavailable };
        const gateway = gateways.find(({ account }) => account.id === choice.gatewayId);
        if (!gateway) return { kind: "not_offered" };
        const customer = link.customerId ? await findCustomer(tx, link.customerId) : null;
        const asked = {
          amount: partOf(amount, link, choice),
          payerEmail: choice.email ?? customer?.email ?? null,
        };
        if (gateway.adapter.manualBankTransfer)
          return { kind: "transfer", order: (await eftOrderOfLink(tx, ctx, gateway.account, link, asked)).id };
        const transaction = newAttempt(ctx, link, gateway, asked);
        insertTransaction(tx, transaction);
        enqueue(tx, PAYMENT_CHECK, transaction.id, nextCheck(ctx.now, ctx.now));
        return { transaction, gateway, link, customer };
      });
    } catch (error) {
      // A random reference of eight digits may be taken; then another one is drawn.
      if (violatedUnique(error) !== "transactions_organisation_id_reference_key") throw error;
    }
  }
}

/** A payer may pay a part of an invoice through its own link; any other link is paid in full. */
const partOf = (asked: Cents, { collectsBalance }: PaymentLink, { amount }: PayerChoice): Cents =>
  collectsBalance && amount !== null && amount < asked ? amount : asked;

const newAttempt = (
  ctx: Ctx,
  link: PaymentLink,
  { account }: Gateway,
  { amount, payerEmail }: { amount: Cents; payerEmail: string | null },
): Transaction =>
  newTransaction({
    id: newId("txn"),
    reference: newCheckoutReference(ctx.now),
    amount,
    currency: link.currency,
    type: link.invoiceId ? "invoice" : "once",
    gatewayAccountId: account.id,
    gatewayType: account.type,
    sandbox: isSandboxPayment(ctx.organisation, account),
    description: link.title,
    payerEmail,
    paymentLinkId: link.id,
    invoiceId: link.invoiceId,
    customerId: link.customerId,
    externalReference: link.externalReference,
    metadata: link.metadata,
    createdAt: ctx.now,
  });

async function callGateway(
  services: Services,
  ctx: Ctx,
  { transaction, gateway, customer }: Attempt,
  choice: PayerChoice,
  pages: { returnUrl: string; cancelUrl: string },
): Promise<StartedPayment> {
  const { account, adapter } = gateway;
  if (!adapter.checkout) return { kind: "refused", reason: "this gateway has no payment page" };
  return adapter.checkout.start(
    {
      reference: transaction.reference,
      amount: transaction.amount,
      currency: transaction.currency,
      description: transaction.description ?? transaction.reference,
      payer: {
        email: transaction.payerEmail,
        firstName: choice.firstName ?? customer?.firstName ?? null,
        lastName: choice.lastName ?? customer?.lastName ?? null,
        phone: customer?.phone ?? null,
      },
      ...pages,
      notifyUrl: notifyUrlOf(services, account),
      recurring: null,
      saveCard: false,
    },
    gatewayCallOf(services, ctx.organisation, account, ctx.now),
  );
}

const declinedFactOf = ({ reference }: Transaction, reason: string): PaymentFact => ({
  ...internalFact(reference, "refused to start"),
  kind: "declined",
  amount: null,
  currency: null,
  reason,
  hard: false,
});
