import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { AddedCardEventData, CardEventData } from "./schema.ts";

export const CARD_ADDED = event("customer.payment_method.added", {
  about: "The card that was saved, or saved again after it was removed, had expired or had failed, and its customer.",
  data: AddedCardEventData,
});
export const CARD_REMOVED = event("customer.payment_method.removed", {
  about: "The card that was removed.",
  data: CardEventData,
});
export const CARD_EXPIRING = event("customer.payment_method.expiring", {
  about: "The card, which expires within 30 days; once a card and expiry.",
  data: CardEventData,
});

/** Announces that a card expires soon. */
export const CARD_ANNOUNCE_EXPIRING = dueWork("card.announce_expiring");
/** Expires a card at the end of its month. */
export const CARD_EXPIRE = dueWork("card.expire");
