import { ZERO } from "../../kernel/money.ts";
import { countPayment, lockPaymentLink } from "../../modules/payment-links/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import { currentSettings } from "../organisations/settings.ts";
import { asRevenue } from "../payments/as-revenue.ts";
import type { Purpose } from "../payments/purpose.ts";

/**
 * The purpose of a payment through a link: it is counted, and deactivates a single-use link; a second payment of a
 * single-use link is overpaid (decisions.md#no-automatic-refund). Locks the link. An invoice's link is locked with the
 * invoice, whose purpose divides the payment.
 */
export const linkPurpose: Purpose = {
  locks: "payment link",
  async lock(tx, ctx, payment, move) {
    const { paymentLinkId, invoiceId } = payment;
    if (!paymentLinkId || move !== "complete") return null;
    const complete = () => countPayment(tx, paymentLinkId);
    if (invoiceId) return { complete };
    // The settings may say which VAT it includes; read in the same round trip.
    const [link] = await Promise.all([lockPaymentLink(tx, paymentLinkId), currentSettings(tx)]);
    if (!link) return null;
    const isSecond = link.singleUse && link.paidCount > 0;
    return {
      complete,
      async split() {
        if (isSecond) return { applied: ZERO, overpaid: payment.amount, vat: ZERO };
        const product = link.productId ? await findProduct(tx, link.productId) : null;
        return asRevenue(tx, ctx, payment, { stated: link.vat, product });
      },
    };
  },
};
