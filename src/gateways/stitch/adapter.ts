import type { GatewayAdapter, GatewayCall } from "../contract.ts";
import type { StitchApi } from "./api.ts";
import { express } from "./express.ts";
import { signatureFault } from "./signing.ts";
import { subscriptions } from "./subscriptions.ts";
import { v2 } from "./v2.ts";

/** The API that the account's client is for; accounts from before there were two are of Express. */
const apiOf = ({ credentials }: Pick<GatewayCall, "credentials">): StitchApi =>
  credentials["api"] === "v2" ? v2 : express;

/** Stitch: payments by bank or card, refunds; with Express also subscriptions, on approval. */
export const stitch: GatewayAdapter = {
  type: "stitch",
  name: "Stitch",
  credentialFields: [
    {
      name: "clientId",
      label: "Client id",
      namesMerchant: true,
      secret: false,
      required: true,
      where: "Settings, API",
    },
    { name: "clientSecret", label: "Client secret", secret: true, required: true, where: "Settings, API" },
    {
      name: "webhookSecret",
      label: "Webhook secret",
      secret: true,
      required: true,
      where: "shown once, when the address for messages is registered",
      pattern: "(?:whsec_)?[A-Za-z0-9+/=_-]+",
      hint: "it begins with whsec_.",
    },
    {
      name: "api",
      label: "API",
      namesMerchant: true,
      secret: false,
      required: false,
      choices: ["express", "v2"],
      hint: "express for a client of Stitch Express; v2 for a client of Stitch's API, whose payments are payment requests.",
      fallback: () => "express",
      enables: { capabilities: ["recurring", "cancel"], when: "express" },
    },
    {
      name: "merchantId",
      label: "Merchant id",
      secret: false,
      required: false,
      where: "given out by Stitch",
      hint: "with api v2 only: the merchant whose bank account is paid. Without it, payments are by card.",
    },
  ],
  currencies: ["ZAR"],
  simulated: false,
  payerDomains: ["stitch.money"],
  checkout: {
    needsPayerEmail: false,
    minimumAmounts: {},
    savesCards: false,
    start: (request, call) => apiOf(call).start(request, call),
    query: (payment, call) => apiOf(call).query(payment, call),
  },
  notifications: {
    urlIsSet: "by hand",
    /** Checks the signature on the received bytes, then reads the message. */
    read(raw, call) {
      const fault = signatureFault(call.credentials["webhookSecret"] ?? "", raw, call.machineNow);
      return fault ? { kind: "refused", reason: fault } : apiOf(call).read(raw);
    },
    confirm: (claim, call) => apiOf(call).confirm(claim, call),
  },
  refunds: {
    refund: (request, call) => apiOf(call).refunds.refund(request, call),
    query: (request, call) => apiOf(call).refunds.query(request, call),
  },
  subscriptions,
  facts: {
    fees: "A percentage of each payment, with VAT.",
    feesReported: true,
    limits: [
      "Recurring links need Stitch's approval, and a client of Stitch Express.",
      "A subscription can be cancelled only: its amount and date do not change.",
      "Cards are not saved.",
      "The fee of a payment is known with Stitch Express only.",
    ],
  },
  check: (call) => apiOf(call).check(call),
  connect: (request, call) => apiOf(call).connect(request, call),
};
