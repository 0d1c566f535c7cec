import type { CardId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import { type Cents, toRand } from "../../kernel/money.ts";
import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { CardCharge } from "./types.ts";

/** What the API shows of a charge's transaction. */
interface ChargedPayment {
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** What the API shows of the charged card. */
interface ChargedCard {
  readonly id: CardId;
  readonly brand: string;
  readonly last4: string;
}

/** Interface 2.9, card charge. */
export const cardChargeView = (charge: CardCharge, payment: ChargedPayment, card: ChargedCard) => ({
  object: "card_charge" as const,
  id: charge.id,
  reference: payment.reference,
  status: charge.status,
  amount: toRand(payment.amount),
  currency: payment.currency,
  description: payment.description,
  externalReference: charge.externalReference,
  metadata: payment.metadata,
  customerId: charge.customerId,
  card: { id: card.id, brand: card.brand, last4: card.last4 },
  failureReason: charge.failureReason,
  paidAt: toTimestampOrNull(payment.paidAt),
  createdAt: toTimestamp(payment.createdAt),
});
