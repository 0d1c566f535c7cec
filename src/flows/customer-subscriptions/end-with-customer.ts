import { lockCustomerSubscriptions } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { EndedWithCustomer } from "../customers/deactivate-customer.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { lockWithMigrations } from "./end-migration.ts";
import { pauseSubscription } from "./pause-subscription.ts";

/** A deactivated customer's subscription is paused, or cancelled at once without a mail. */
export const subscriptionEndedWithCustomer: EndedWithCustomer = {
  kind: "subscription",
  // A migration to the platform is locked like the gateway subscription that it replaces.
  locks: "gateway subscription",
  lock: (tx, ids) => lockWithMigrations(tx, ids, () => lockCustomerSubscriptions(tx, ids)),
  async end(tx, ctx, { id, status }, how) {
    if (how === "cancel")
      await cancelSubscription(tx, ctx, id, {
        when: "now",
        reason: "The customer was deactivated.",
        sendEmail: false,
      });
    // A pending subscription is charged only when its payer pays the first charge or confirms a card, which an inactive
    // customer cannot do.
    else if (status !== "pending") await pauseSubscription(tx, ctx, id);
  },
};
