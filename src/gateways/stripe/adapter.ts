import type { GatewayAdapter } from "../contract.ts";
import { secretKeyIsFor } from "../credentials.ts";
import { storedCards } from "./cards.ts";
import { checkout } from "./checkout.ts";
import { check, connect, disconnect } from "./endpoint.ts";
import { confirmNotification, readNotification } from "./notifications.ts";
import { refunds } from "./refunds.ts";
import { subscriptions } from "./subscriptions.ts";

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
      required: false,
      where:
        "Leave it empty, and the webhook is registered for you. For one of your own: " +
        "Developers, Webhooks, the endpoint that has this account's notification address, Signing secret",
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
      "When you win a dispute, staff get an email; record it by hand.",
      "Checkout on a domain of your own cannot be used.",
    ],
  },
  keysAreFor: secretKeyIsFor,
  check,
  connect,
  disconnect,
};
