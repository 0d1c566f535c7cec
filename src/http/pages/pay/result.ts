import { hostedPath } from "../../../flows/hosted-links.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentFacts } from "../../../flows/payments/payment-on-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { EFT_PAGE } from "../../../modules/eft-orders/declarations.ts";
import { PAY_PAGE } from "../../../modules/payment-links/declarations.ts";
import { outcomeUrl } from "../../../modules/payment-links/rules.ts";
import { confirmedBy } from "../../../modules/payments/rules.ts";
import type { Transaction } from "../../../modules/payments/types.ts";
import { resultPage } from "../../../templates/pages/result.ts";
import { brandOf } from "../brand.ts";
import type { PayingPage } from "../paying-page.ts";
import type { PageAnswer } from "../site.ts";
import type { Visit } from "../visit.ts";
import { factsOf } from "./facts.ts";

/**
 * The pay page of a link, for payers who return to it (interface 4.2, behaviour 3): redirects to the merchant once the
 * verified status is final.
 */
export const LINK_PAYMENTS: PayingPage<"plink"> = {
  page: PAY_PAGE,
  startedOn: (_tx, id, { paymentLinkId }) => paymentLinkId === id,
  // The pages of a bank transfer are its order's.
  continueAt: ({ ctx }, { eftOrderId }) => eftOrderId && hostedPath(ctx, EFT_PAGE, eftOrderId),
  async answer(visit, payment) {
    const facts = await factsOf(visit);
    const { status, reference } = payment.transaction;
    if (status !== "pending" && facts.link.returnUrl !== null)
      return { goTo: outcomeUrl(facts.link.returnUrl, reference, outcomeOf(status)) };
    return { page: resultAnswer(visit, facts, payment) };
  },
};

/** The outcome that is passed to the merchant. A refunded payment is `complete`: it was made. */
const outcomeOf = (status: Exclude<Transaction["status"], "pending">): "complete" | "failed" | "cancelled" =>
  status === "failed" || status === "cancelled" ? status : "complete";

function resultAnswer(
  visit: Visit<PaymentLinkId>,
  { settings, unavailable }: PayPageFacts,
  { transaction, gatewayName, refunded }: PaymentFacts,
): PageAnswer {
  const { site, ctx } = visit;
  const brand = brandOf(ctx.organisation, settings);
  const mailsReceipt = settings.receipts && site.services.mailEnabled;
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: resultPage({
      brand: { ...brand, sandbox: transaction.sandbox },
      status: transaction.status,
      reference: transaction.reference,
      title: transaction.description ?? transaction.reference,
      amount: transaction.amount,
      currency: transaction.currency,
      paidAt: transaction.paidAt,
      refundedAmount: refunded,
      gatewayName,
      confirmedBy: confirmedBy(transaction),
      receiptEmail: mailsReceipt ? transaction.payerEmail : null,
      retryUrl: unavailable ? null : visit.path,
      onward: null,
    }),
  };
}
