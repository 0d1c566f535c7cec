import { type PayPageFacts, readPayPage } from "../../../flows/payment-links/read-pay-page.ts";
import type { PaymentLinkId } from "../../../kernel/ids.ts";
import { noSuchPage } from "../site.ts";
import type { Visit } from "../visit.ts";

/** Reads what the link's pages show. Throws 404 when the link is gone. */
export async function factsOf({ site, ctx, id }: Visit<PaymentLinkId>): Promise<PayPageFacts> {
  const facts = await readPayPage(site.services, ctx, id);
  if (!facts) throw noSuchPage();
  return facts;
}
