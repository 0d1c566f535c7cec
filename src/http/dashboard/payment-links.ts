import { z } from "zod";
import { deactivateLink } from "../../flows/payment-links/deactivate-payment-link.ts";
import { notFound } from "../../kernel/errors.ts";
import { PaymentLinkWithPayments } from "../../modules/payment-links/schema.ts";
import { findLinkWithPayments } from "../../modules/payment-links/store.ts";
import { endpoint } from "../endpoint.ts";
import { PAYMENTS_ALONE, withPayments } from "../resources/payment-links.ts";

/** Interface 14.2: what staff may do with a link beside what the client API offers. */
export const staffPaymentLinkEndpoints = [
  endpoint({
    tag: "Payment links",
    feature: "payment_links",
    method: "POST",
    path: "/payment-links/{id}/deactivate",
    summary: "Deactivate a payment link for good",
    permission: "payment_links:write",
    params: z.object({ id: z.string() }),
    replies: { 200: PaymentLinkWithPayments },
    async handle(call, tx) {
      const { before, after } = await deactivateLink(tx, call.params.id);
      const link = await findLinkWithPayments(tx, after.id, PAYMENTS_ALONE);
      if (!link) throw notFound("payment link");
      return {
        status: 200,
        body: withPayments(call, link),
        audit: { subject: after.id, before: { active: before.active }, after: { active: after.active } },
      };
    },
  }),
];
