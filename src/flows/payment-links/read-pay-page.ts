import type { PaymentLinkId } from "../../kernel/ids.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { type Payability, payabilityOf } from "../payments/payability.ts";
import type { Services } from "../services.ts";

/** What a pay page shows and decides by. */
export interface PayPageFacts extends Payability {
  readonly link: PaymentLink;
  /** Whom the link was made for. */
  readonly customer: Customer | null;
  readonly settings: Settings;
}

/** Null when there is no such link. */
export function readPayPage(services: Services, ctx: Ctx, linkId: PaymentLinkId): Promise<PayPageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [link, settings] = await Promise.all([findPaymentLink(tx, linkId), currentSettings(tx)]);
    if (!link) return null;
    const [payability, customer] = await Promise.all([
      payabilityOf(tx, ctx, link),
      link.customerId ? findCustomer(tx, link.customerId) : null,
    ]);
    return { link, customer, settings, ...payability };
  });
}
