import { cents } from "../../kernel/money.ts";
import type {
  Connection,
  GatewayAdapter,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  Refusal,
  StartedPayment,
  StartPaymentRequest,
  UnreadNotification,
  VerifiedNotification,
} from "../contract.ts";
import type { GatewayFact, PaymentFact } from "../facts.ts";
import { formPairs, valueIn } from "../form-body.ts";
import { refused } from "../refusals.ts";
import { isFrom } from "../sources.ts";
import { storedCards } from "./cards.ts";
import { askText, isConfirmed, isHostAddress, pageUrl } from "./client.ts";
import { notificationFacts } from "./facts.ts";
import { startFields } from "./form.ts";
import { findInHistory } from "./history.ts";
import { findProcessed } from "./queries.ts";
import { refunds } from "./refunds.ts";
import { isSigned, notificationText } from "./signing.ts";
import { standingOf, subscriptions } from "./subscriptions.ts";
import { FIELD_MAX, SOURCES } from "./wire.ts";

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  if (request.reference.length > FIELD_MAX.reference) return refused("PayFast takes no reference as long.");
  return { kind: "form", action: pageUrl(call, "/eng/process"), fields: startFields(request, call), checkoutRef: null };
}

/** By the gateway's id when a notification has told it; else the payment is looked for by our reference. */
async function query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const { reference, providerRef } = payment;
  if (providerRef === null) return findInHistory(payment, call);
  return findProcessed({ reference, providerRef }, call);
}

/** What `confirm` needs: the text that was signed, and the sender's address when it is in none of the ranges. */
interface Claim {
  readonly text: string;
  readonly from: string | null;
}

/**
 * Checks signature, merchant and source, in this order: an unsigned message is not trusted, and not logged. The gateway
 * then confirms it. Pairs after the signature are not covered by it, and not read.
 */
function read(raw: RawNotification, { credentials, sources }: GatewayCall): NotificationReading {
  const { merchantId = "", passphrase = "" } = credentials;
  const pairs = formPairs(raw.rawBody);
  const at = pairs?.findIndex(([name]) => name === "signature") ?? -1;
  if (!pairs || at < 0) return refused("There is no signature.");
  const signed = pairs.slice(0, at);
  const text = notificationText(signed);
  if (!isSigned(text, pairs[at]?.[1], passphrase)) return refused("The signature is wrong.");
  if (valueIn(signed, "merchant_id") !== merchantId) return refused("The notification is for another merchant.");
  const known = isFrom(sources ?? SOURCES, raw.remoteAddress);
  if (!known && sources !== null) return refused(NOT_OURS);
  const claim: Claim = { text, from: known ? null : raw.remoteAddress };
  return { kind: "confirm", claim: JSON.stringify(claim) };
}
const NOT_OURS = "It does not come from PayFast's addresses.";

/**
 * Asks the gateway to confirm a notification. A cancellation counts only when the subscription is cancelled now, since
 * an old notification can be sent again; otherwise its present state is reported.
 */
const confirmWith = (isHost: typeof isHostAddress) =>
  async function confirm(
    claim: string,
    call: GatewayCall,
  ): Promise<VerifiedNotification | UnreadNotification | Refusal> {
    const { text, from } = JSON.parse(claim) as Claim;
    if (from !== null && !(await isHost(from))) return refused(NOT_OURS);
    if (!(await isConfirmed(call, text))) return refused("PayFast says that it has sent no such notification.");
    const pairs = formPairs(Buffer.from(text)) ?? [];
    const facts = notificationFacts(pairs);
    if (facts === null) {
      const event = valueIn(pairs, "payment_status")?.trim() || "unnamed";
      return { kind: "unread", event, reason: `The notification of ${event} cannot be read.` };
    }
    return { kind: "verified", facts: await Promise.all(facts.map((fact) => asItStands(fact, call))) };
  };

async function asItStands(fact: GatewayFact, call: GatewayCall): Promise<GatewayFact> {
  if (fact.about !== "subscription" || fact.subscription.handle === null) return fact;
  const standing = await standingOf(fact.subscription.handle, call);
  // The gateway has confirmed the notification; a subscription that it does not know or show does not contradict it.
  return standing === null || standing.kind === "refused" ? fact : standing;
}

/** Makes a call that costs nothing, signed with the credentials; the merchant key is used in forms only, and cannot be checked. */
async function connect(_request: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection> {
  const answer = await askText(call, { method: "GET", path: "/ping" });
  return answer.kind === "refused" ? answer : { kind: "connected", credentials: {} };
}

/** The adapter with another function to resolve the gateway's hosts. */
export const payfastWith = (isHost: typeof isHostAddress): GatewayAdapter => ({
  type: "payfast",
  name: "PayFast",
  credentialFields: [
    {
      name: "merchantId",
      label: "Merchant ID",
      namesMerchant: true,
      secret: false,
      required: true,
      pattern: "[0-9]{1,20}",
      hint: "digits, such as 10000100.",
      where: "Settings, Integration",
    },
    {
      name: "merchantKey",
      label: "Merchant key",
      secret: true,
      required: true,
      where: "Settings, Integration",
    },
    {
      name: "passphrase",
      label: "Passphrase",
      secret: true,
      required: true,
      hint: "the one that was set in PayFast's dashboard.",
      where: "Settings, Integration, Security passphrase; set one there when there is none",
    },
  ],
  currencies: ["ZAR"],
  simulated: false,
  payerDomains: ["payfast.co.za"],
  checkout: {
    needsPayerEmail: false,
    minimumAmounts: { ZAR: cents(500) },
    sandboxTakesAll: true,
    savesCards: true,
    savesEither: true,
    start,
    query,
  },
  notifications: { urlIsSet: "per payment", read, confirm: confirmWith(isHost) },
  refunds,
  subscriptions,
  storedCards,
  facts: {
    fees: "A percentage and an amount for each payment, by the method that the payer chooses, with VAT.",
    feesReported: true,
    limits: [
      "South African rand only, from R5.00.",
      "Subscriptions are for cards only.",
      "A card is saved when a plan is bought with it. It is shown by the day on which it was saved, since PayFast " +
        "does not say which card it is.",
      "A live account adds no card by the set-up page: its payment of R1.00 is too small.",
      "Refunds go back to the card; a payment by EFT is refunded in PayFast's dashboard.",
      "The sandbox sends each notification once, and makes no refunds.",
    ],
  },
  connect,
});

/** PayFast: cards, instant EFT and wallets on its own page; subscriptions that it runs. */
export const payfast = payfastWith(isHostAddress);
