import type { Connection, GatewayAdapter, GatewayCall } from "../contract.ts";
import { secretKeyIsFor } from "../credentials.ts";
import { storedCards } from "./cards.ts";
import { checkout } from "./checkout.ts";
import { ask } from "./client.ts";
import { confirmNotification, readNotification } from "./notifications.ts";
import { refunds } from "./refunds.ts";
import { subscriptions } from "./subscriptions.ts";
import * as wire from "./wire.ts";

/** Asks about a session that cannot exist: with a wrong key it is refused, with a right one it is not found. */
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
      where: "Developers, API keys",
      pattern: "(sk|rk)_[A-Za-z0-9_-]+",
      hint: "it begins with sk_live_, sk_test_, rk_live_ or rk_test_.",
    },
    {
      name: "webhookSecret",
      label: "Webhook signing secret",
      secret: true,
      required: true,
      where: "Developers, Webhooks, the endpoint that has this account's notification address, Signing secret",
      pattern: "whsec_\\S+",
      hint: "it begins with whsec_.",
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
  facts: {
    fees: "A percentage and an amount for each payment, more for cards of other countries and for another currency than the account's.",
    feesReported: true,
    limits: [
      "Not opened to merchants established in South Africa, as far as is known: ZAR is a currency in which payers pay.",
      "A subscription's own first date is three days ahead at least.",
      "A dispute that is won is mailed to staff, and not booked by itself.",
      "Checkout on a domain of your own cannot be used.",
    ],
  },
  keysAreFor: secretKeyIsFor,
  connect,
};
