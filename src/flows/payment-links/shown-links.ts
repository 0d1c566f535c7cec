import { subscriptionsOfLinks } from "../../modules/gateway-subscriptions/store.ts";
import type { LinkWithPayments } from "../../modules/payment-links/types.ts";
import { paymentLinkWithPaymentsView, staffPaymentLinkView } from "../../modules/payment-links/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { linkAddresses } from "./addresses.ts";

/** Links with their payments and subscription, as list and get answer them (interface 2.3). */
export async function shownLinks(tx: Tx, ctx: Ctx, links: readonly LinkWithPayments[]) {
  const recurring = links.filter((link) => link.recurring);
  const subscriptions = await subscriptionsOfLinks(tx, recurring);
  const view = ctx.actor.kind === "member" ? staffPaymentLinkView : paymentLinkWithPaymentsView;
  return links.map((link) => view(link, linkAddresses(ctx, link), subscriptions.get(link.id) ?? null));
}
