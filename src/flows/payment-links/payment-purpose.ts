import { unitOf } from "../../kernel/currency.ts";
import { exemption } from "../../kernel/exemption.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { ZERO } from "../../kernel/money.ts";
import { countPayment, lockPaymentLink } from "../../modules/payment-links/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import { taxedToday } from "../organisations/settings.ts";
import type { Purpose } from "../payments/purpose.ts";

/**
 * The purpose of a payment through a link: it is counted, and deactivates a single-use link; a second payment of a
 * single-use link is overpaid (decisions.md#no-automatic-refund). Locks the link. An invoice's link is locked with the
 * invoice, whose purpose divides the payment.
 */
export const linkPurpose: Purpose = {
  locks: "payment link",
  async lock(tx, ctx, { paymentLinkId, invoiceId, amount }, move) {
    if (!paymentLinkId || move !== "complete") return null;
    const complete = () => countPayment(tx, paymentLinkId);
    if (invoiceId) return { complete };
    const link = await lockPaymentLink(tx, paymentLinkId);
    if (!link) return null;
    const overpaid = link.singleUse && link.paidCount > 0 ? amount : ZERO;
    return {
      complete,
      async split() {
        const product = link.productId && overpaid === ZERO ? await findProduct(tx, link.productId) : null;
        const vat = product ? vatWithin(amount, taxedToday(ctx, product).taxRate, unitOf(product.currency)) : ZERO;
        return { applied: ZERO, overpaid, vat, ...exemption(product?.taxExempt) };
      },
    };
  },
};
