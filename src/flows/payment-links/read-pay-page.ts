import type { PaymentLinkId } from "../../kernel/ids.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { chargeUnderWay } from "../card-charges/pay-link-by-card.ts";
import { NO_CARDS, type OfferedCards, offeredOnLink } from "../card-charges/saved-cards-of-link.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { currentSettings } from "../organisations/settings.ts";
import { type Payability, payabilityOf } from "../payments/payability.ts";
import { signedInCustomer } from "../portal-access/portal-session.ts";
import type { PayerPage } from "../search/record-kind.ts";
import type { Services } from "../services.ts";

/** The facts on a pay page, and whether it accepts a payment. */
export interface PayPageFacts extends Omit<Payability, "invoice"> {
  readonly link: PaymentLink;
  /** The customer of the link. */
  readonly customer: Customer | null;
  readonly settings: Settings;
  /** The invoice that the link pays, with its lines. */
  readonly invoice: Invoice | null;
  /** Saved cards of the customer that the page offers (interface 4.11). */
  readonly savedCards: OfferedCards;
  /**
   * A pending charge of a saved card for the same purpose that its bank has not yet answered: no card is offered
   * meanwhile.
   */
  readonly underWay: Transaction | null;
}

/**
 * Reads the page's facts; `session` is the token of the payer's portal session, empty without one. Null when there is
 * no such link.
 */
export function readPayPage(
  services: Services,
  ctx: Ctx,
  linkId: PaymentLinkId,
  session: string,
): Promise<PayPageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [link, settings] = await Promise.all([findPaymentLink(tx, linkId), currentSettings(tx)]);
    if (!link) return null;
    const [payability, customer, invoice, cards, underWay] = await Promise.all([
      payabilityOf(tx, ctx, link),
      link.customerId ? findCustomer(tx, link.customerId) : null,
      link.invoiceId ? findInvoice(tx, link.invoiceId) : null,
      link.customerId ? cardsOfCustomer(tx, link.customerId) : [],
      link.customerId ? chargeUnderWay(tx, ctx, link) : null,
    ]);
    const signedIn = cards.length === 0 ? null : await signedInCustomer(tx, ctx, session);
    const offered = await offeredOnLink(tx, ctx, { link, amount: payability.amount, cards, signedIn });
    return { ...payability, link, customer, settings, invoice, savedCards: underWay ? NO_CARDS : offered, underWay };
  });
}

/** The page of a payment link. */
export const linkPage: PayerPage = async (tx, ctx, id) => {
  const link = await findPaymentLink(tx, id);
  return link && hostedUrl(ctx, PAY_PAGE, link.id);
};
