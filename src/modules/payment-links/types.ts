import type { StatedVat } from "../../kernel/exemption.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { CustomerId, GatewaySubscriptionId, InvoiceId, PaymentLinkId, ProductId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** A payment link (interface 2.3). */
export interface PaymentLink {
  readonly id: PaymentLinkId;
  /** Of its short address, `/p/<code>`; like the token of its page, it gives access to the payment. */
  readonly shortCode: string;
  readonly title: string;
  readonly description: string | null;
  readonly amount: Cents;
  readonly currency: string;
  readonly externalReference: string | null;
  readonly returnUrl: string | null;
  readonly metadata: Metadata;
  readonly recurring: { readonly frequency: Frequency; readonly amount: Cents } | null;
  readonly singleUse: boolean;
  readonly active: boolean;
  readonly expiresAt: Instant | null;
  readonly paidCount: number;
  readonly customerId: CustomerId | null;
  readonly productId: ProductId | null;
  /** Of the VAT that its amounts include; an invoice states its own. */
  readonly vat: StatedVat;
  /** The invoice that it pays: completed payments are applied to it (interface 4.2). */
  readonly invoiceId: InvoiceId | null;
  /**
   * Whether it is the invoice's own pay link, which collects the invoice's present balance until the invoice is paid,
   * whatever its first `amount` was (interface 3.3).
   */
  readonly collectsBalance: boolean;
  /**
   * Whether the card that pays is saved for later charges of a customer subscription: only gateways that save and charge cards are offered
   * (interface 16.14).
   */
  readonly keepsCard: boolean;
  /**
   * The API key or the member of staff who issued it: what they may do decides about saved cards (interface 4.11).
   * Null: the service by itself.
   */
  readonly issuedBy: string | null;
  /** The subscription for which it was mailed: a recurring link replaces it, any other collects a charge of it (interface 4.7). */
  readonly gatewaySubscriptionId: GatewaySubscriptionId | null;
  readonly createdAt: Instant;
}

/** A transaction as a link shows it (interface 2.3, `payments`). */
export interface LinkPayment {
  readonly reference: string;
  readonly status: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** A link as list and get show it. */
export interface LinkWithPayments extends PaymentLink {
  readonly payments: readonly LinkPayment[];
}
