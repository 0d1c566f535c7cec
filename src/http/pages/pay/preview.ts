import type { Ctx } from "../../../flows/context.ts";
import { checkoutGateways, gatewayOf, manualTransferAccounts } from "../../../flows/gateways/accounts.ts";
import type { GatewayAccount } from "../../../modules/gateway-accounts/types.ts";
import type { Settings } from "../../../modules/organisations/schema.ts";
import type { PricedDocument } from "../../../templates/document.ts";
import { payPage } from "../../../templates/pages/pay.ts";
import { brandOf } from "../brand.ts";
import { previewGateways } from "../preview-gateways.ts";
import { offeredGateway } from "./offered-gateway.ts";
import { partField } from "./part.ts";

/**
 * The pay page of a sample invoice, as HTML, with these settings and the organisation's own gateways. Its form has no
 * token, so nothing can be paid on it.
 */
export function payPagePreview(
  ctx: Ctx,
  {
    settings,
    invoice,
    accounts,
    mailEnabled,
  }: {
    readonly settings: Settings;
    readonly invoice: PricedDocument;
    readonly accounts: readonly GatewayAccount[];
    readonly mailEnabled: boolean;
  },
): string {
  const { currency, due } = invoice;
  const offered = [
    ...checkoutGateways(accounts, currency),
    ...manualTransferAccounts(accounts, currency).map(gatewayOf),
  ].map((gateway) => offeredGateway(ctx, gateway));
  return payPage({
    brand: brandOf(ctx.organisation, settings),
    payable: {
      title: `Invoice ${invoice.number}`,
      description: null,
      amount: due,
      currency,
      invoice: { document: invoice, pdf: `/portal/${ctx.organisation.slug}` },
      recurring: null,
      expiresAt: null,
    },
    gateways: previewGateways(offered),
    chosenGateway: null,
    fields: [],
    receipts: settings.receipts && mailEnabled,
    savedCards: [],
    signInPath: null,
    chosenCard: null,
    underWay: null,
    part: partField(invoice, null),
    formToken: "",
    problems: [],
  }).toString();
}
