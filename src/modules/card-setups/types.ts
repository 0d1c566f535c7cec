import type { CardId, CardSetupId, CustomerId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 3.7. */
export const CARD_SETUP_STATUSES = ["pending", "completed", "expired"] as const;
export type CardSetupStatus = (typeof CARD_SETUP_STATUSES)[number];

/** How the last attempt ended without a card (interface 2.9). */
export const CARD_SETUP_FAILURES = ["declined", "cancelled", "no_card_saved"] as const;
export type CardSetupFailure = (typeof CARD_SETUP_FAILURES)[number];

/** The amount that the customer pays on the page, in `CARD_SETUP_CURRENCY`, and gets back by a credit note (interface 4.11). */
export const CARD_SETUP_AMOUNT: Cents = cents(100);
export const CARD_SETUP_CURRENCY = "ZAR";

/** Interface 2.9: a page on which a customer adds a card. */
export interface CardSetup {
  readonly id: CardSetupId;
  readonly customerId: CustomerId;
  /** As stored; `asOf` gives the status at a moment. */
  readonly status: CardSetupStatus;
  readonly returnUrl: string | null;
  readonly makeDefault: boolean;
  /** Set once completed, and not before. */
  readonly cardId: CardId | null;
  readonly failureReason: CardSetupFailure | null;
  readonly metadata: Metadata;
  readonly expiresAt: Instant;
  readonly completedAt: Instant | null;
  readonly createdAt: Instant;
}
