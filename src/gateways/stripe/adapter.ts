import type { Connection, GatewayAdapter, GatewayCall } from "../contract.ts";
import { storedCards } from "./cards.ts";
import { checkout } from "./checkout.ts";
import { ask } from "./client.ts";
import { confirmNotification, readNotification } from "./notifications.ts";
import { refunds } from "./refunds.ts";
import { subscriptions } from "./subscriptions.ts";
import * as wire from "./wire.ts";

/** Asks about a session that cannot exist: a wrong key is refused, a right one finds nothing. */
async function connect(_request: object, call: GatewayCall): Promise<Connection> {
  const answer = await ask(call, { method: "GET", path: "/checkout/sessions/cs_tefo_connection_test" }, wire.Session);
  const wrong = answer.kind === "refused" && answer.status === 401;
  return wrong ? { kind: "refused", reason: answer.reason } : { kind: "connected", credentials: {} };
}

/** Stripe: its Checkout pages, saved cards, subscriptions that change in place, refunds, disputes. */
export const stripe: GatewayAdapter = {
  type: "stripe",
  name: "Stripe",
  credentialFields: [
    {
      name: "secretKey",
      label: "Secret key",
      secret: true,
      required: true,
      pattern: "(sk|rk)_[A-Za-z0-9_-]+",
      hint: "it begins with sk_ or rk_; in Stripe's dashboard under Developers, API keys.",
    },
    {
      name: "webhookSecret",
      label: "Webhook signing secret",
      secret: true,
      required: true,
      pattern: "whsec_\\S+",
      hint: "it begins with whsec_; in Stripe's dashboard at the webhook endpoint that has this account's notification address.",
    },
  ],
  // Those with two decimals that merchants here use.
  currencies: ["ZAR", "USD", "EUR", "GBP", "AUD", "BWP", "CAD", "CHF", "KES", "MUR", "NAD", "NGN", "NZD", "ZMW"],
  simulated: false,
  payerDomains: ["stripe.com"],
  checkout,
  notifications: { urlIsSet: "by hand", read: readNotification, confirm: confirmNotification },
  refunds,
  subscriptions,
  storedCards,
  connect,
};
