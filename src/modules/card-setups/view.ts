import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY, type CardSetup } from "./types.ts";

/** Interface 2.9; `url` is the hosted page. */
export const cardSetupView = (setup: CardSetup, url: string) => ({
  object: "card_setup_session" as const,
  id: setup.id,
  customerId: setup.customerId,
  status: setup.status,
  url,
  returnUrl: setup.returnUrl,
  amount: toRand(CARD_SETUP_AMOUNT),
  currency: CARD_SETUP_CURRENCY,
  makeDefault: setup.makeDefault,
  cardId: setup.cardId,
  failureReason: setup.failureReason,
  metadata: setup.metadata,
  expiresAt: toTimestamp(setup.expiresAt),
  completedAt: toTimestampOrNull(setup.completedAt),
  createdAt: toTimestamp(setup.createdAt),
});
