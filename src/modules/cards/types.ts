import type { NamedCard } from "../../domain/card-brands.ts";
import type { CardId, CustomerId, GatewayAccountId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 3.6. */
export const CARD_STATUSES = ["active", "expired", "failed", "removed"] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** Where the customer saved it (interface 2.9). */
export const CARD_SOURCES = ["card_setup", "checkout"] as const;
export type CardSource = (typeof CARD_SOURCES)[number];

/** What a gateway reports of a card that it has saved. */
export interface CardFace extends NamedCard {
  /** 1 to 12; null, as the year, when the gateway does not report it. */
  readonly expiryMonth: number | null;
  /** Four digits. */
  readonly expiryYear: number | null;
  readonly holderName: string | null;
}

/** Interface 2.9: a card that a customer saved. Its number is at the gateway alone. */
export interface Card extends CardFace {
  readonly id: CardId;
  readonly customerId: CustomerId;
  /** The gateway account that saved the card, the only one that can charge it. */
  readonly gatewayAccountId: GatewayAccountId;
  /** The gateway account's fingerprint of the card, which recognises it; null when the gateway gives none. */
  readonly fingerprint: string | null;
  /** The encrypted token with which the gateway account charges the card. */
  readonly tokenSealed: string;
  /** As stored; `asOf` gives the status at a moment. */
  readonly status: CardStatus;
  readonly isDefault: boolean;
  readonly source: CardSource;
  /** When `customer.payment_method.expiring` was sent for this expiry; null when it was not. */
  readonly expiringAnnouncedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
