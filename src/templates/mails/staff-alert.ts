import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { dayInWords, momentInWords } from "../wording.ts";
import type { AlertFacts, AlertWords } from "./alert-words.ts";
import { type Mail, quoted, renderMail, tefo } from "./layout.ts";

interface OverpaidFacts extends AlertFacts {
  readonly title: string;
  readonly payerEmail: string | null;
  readonly paid: Cents;
  /** Amount above the invoice's balance; it has become the customer's credit (interface 16.21). */
  readonly excess: Cents;
  readonly currency: string;
}

/** The part of a notification that differs from the payment (decisions.md#mismatch-is-not-applied). */
type Mismatch = "amount" | "currency" | "account" | "reference" | "second_payment" | "refund" | "renewal";

interface NotificationMismatchFacts extends AlertFacts {
  readonly gatewayName: string;
  readonly what: Mismatch;
  /** The payment's value, and the notification's; null when there is nothing to compare. */
  readonly expected: string | null;
  readonly received: string | null;
}

interface ProofReceivedFacts extends AlertFacts {
  /** The description of the bank transfer's order. */
  readonly title: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly payerEmail: string | null;
}

interface NoExchangeFacts extends AlertFacts {
  readonly amount: Cents;
  readonly currency: string;
  readonly payerEmail: string | null;
}

interface SubscriptionFacts extends AlertFacts {
  /** The purpose of the subscription. */
  readonly title: string;
  readonly gatewayName: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly payerEmail: string | null;
}

interface RenewalMissingFacts extends SubscriptionFacts {
  readonly expectedOn: CalendarDay;
}

/** The gateway refused to cancel a subscription that another one has replaced. */
interface NotCancelledFacts extends SubscriptionFacts {
  /** The gateway's name of the subscription that was not cancelled. */
  readonly name: string;
  /** In the gateway's words. */
  readonly reason: string;
}

/** The gateway made the collection `payment` of a subscription that is cancelled here. */
interface ChargedOnFacts extends SubscriptionFacts {
  readonly collected: Cents;
  readonly payment: string;
}

/** The gateway took the first payment of a subscription and refused to begin it. */
interface NotBegunFacts extends SubscriptionFacts {
  /** In the gateway's words. */
  readonly reason: string;
}

/**
 * A bank reversed a payment, or the gateway could not make a refund that it had accepted; or a payer disputes
 * a payment; or the merchant won a dispute, before or after the money was taken.
 */
type TakenBack =
  | "reversed"
  | "refund_failed"
  | "disputed"
  | "dispute_lost"
  | "dispute_won"
  | "dispute_given_back"
  | "dispute_repaid";

interface TakenBackFacts extends AlertFacts {
  readonly title: string;
  readonly payerEmail: string | null;
  readonly paid: Cents;
  /** The amount that the bank reversed or would reverse, or the refund. */
  readonly amount: Cents;
  /** In the bank's or gateway's words. */
  readonly reason: string;
  readonly currency: string;
}

/** A payment that its gateway continues only after an action by staff. */
interface WaitsFacts extends AlertFacts {
  readonly title: string;
  readonly payerEmail: string | null;
  readonly gatewayName: string;
  readonly paid: Cents;
  readonly currency: string;
  /** The action that staff have to take. */
  readonly reason: string;
}

/** A refund that was made in the gateway's own dashboard, and whose amount the gateway does not report. */
interface RefundUntoldFacts extends AlertFacts {
  readonly title: string;
  readonly payerEmail: string | null;
  readonly gatewayName: string;
  readonly paid: Cents;
  readonly currency: string;
  readonly word: string;
}

/** Mail to the members who may change payments: something that a person must check. `words` is the text about the facts. */
export function staffAlertMail<Facts extends AlertFacts>(words: (facts: Facts) => AlertWords, facts: Facts): Mail {
  const { subject, heading, paragraph, rows, note } = words(facts);
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: `${quoted(facts.organisationName)}: ${subject}`,
    preview: paragraph,
    heading,
    blocks: [
      { kind: "paragraph", text: paragraph },
      { kind: "facts", rows: [...rows, ["Date", momentInWords(facts.at)], ["Reference", facts.reference]] },
      { kind: "button", label: "View", url: facts.url },
      { kind: "note", text: note },
    ],
  });
}

/** The text about a payment of more than was due. */
export function overpaid(facts: OverpaidFacts): AlertWords {
  const excess = formatMoney(facts.excess, facts.currency);
  return {
    subject: `${excess} too much was paid`,
    heading: "More was paid than was due",
    paragraph: `A payment to ${quoted(facts.organisationName)} was ${excess} more than was due.`,
    rows: [
      ["For", facts.title],
      ["Paid", formatMoney(facts.paid, facts.currency)],
      ["Too much", excess],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "The excess is the customer's credit now. Refund it, or agree with them what it is for.",
  };
}

/** The text about an invoice in another currency that was made while no rate was known. */
export function noExchange(facts: NoExchangeFacts): AlertWords {
  return {
    subject: `no exchange rate of ${facts.currency} is known`,
    heading: `An exchange rate of ${facts.currency} is missing`,
    paragraph:
      `${quoted(facts.organisationName)} bills in ${facts.currency}, and its settings have no rate of it in rand. ` +
      "The invoices are made and collected all the same, without the VAT in rand that a tax invoice must state.",
    rows: [
      ["The first of today", facts.reference],
      ["Total", formatMoney(facts.amount, facts.currency)],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note:
      `Give the settings a rate of ${facts.currency} (exchangeRates): ` +
      "the invoices that wait for one get it at once, and count in the VAT return.",
  };
}

/** The mail's text about an amount and an organisation, and the label of the amount's row. */
const TAKEN_BACK_WORDS: Readonly<
  Record<TakenBack, (amount: string, organisation: string) => Omit<AlertWords, "rows"> & { label: string }>
> = {
  reversed: (amount, organisation) => ({
    subject: `a bank reversed ${amount}`,
    heading: "A payment was reversed",
    paragraph: `The customer's bank reversed ${amount} of a payment to ${organisation}.`,
    note: "The amount is due again. Agree with the customer how they will pay.",
    label: "Reversed",
  }),
  refund_failed: (amount, organisation) => ({
    subject: `a refund of ${amount} could not be made`,
    heading: "A refund could not be made",
    paragraph:
      `The gateway had accepted a refund of ${amount} of a payment to ${organisation}, and could not ` +
      "make it. The money is still with you.",
    note: "The customer was told of the refund. Refund the money in another way.",
    label: "Refund",
  }),
  disputed: (amount, organisation) => ({
    subject: `a customer disputes ${amount}`,
    heading: "A payment is disputed",
    paragraph: `A customer disputes ${amount} of a payment to ${organisation} with their bank. No money has moved yet.`,
    note:
      "Respond to the dispute in the gateway's own dashboard before its deadline. " +
      "Without a response it is lost, and the payment is reversed.",
    label: "Disputed",
  }),
  dispute_won: (amount, organisation) => ({
    subject: `you won a dispute of ${amount}`,
    heading: "Dispute won",
    paragraph: `You won the dispute of ${amount} of a payment to ${organisation}. The money stays with you.`,
    note: "Nothing was reversed, so there is nothing to do.",
    label: "Disputed",
  }),
  dispute_lost: (amount, organisation) => ({
    subject: `you lost a dispute of ${amount}`,
    heading: "Dispute lost",
    paragraph: `The dispute of ${amount} of a payment to ${organisation} was decided for the customer, who keeps the money.`,
    note: "The amount is due again. Agree with the customer how they will pay, or write it off.",
    label: "Disputed",
  }),
  dispute_given_back: (amount, organisation) => ({
    subject: `${amount} of a disputed payment is yours again`,
    heading: "Dispute won",
    paragraph: `You won the dispute of ${amount} of a payment to ${organisation}. The gateway pays the amount back to you.`,
    note: "It is booked: if the payment was for an invoice, that is paid again. There is nothing to do.",
    label: "Paid back",
  }),
  dispute_repaid: (amount, organisation) => ({
    subject: `${amount} of a disputed payment is yours again`,
    heading: "Dispute won",
    paragraph: `You won the dispute of ${amount} of a payment to ${organisation}. The gateway pays the amount back to you.`,
    note: "Record it by hand: if the payment was for an invoice, record a payment there, so that nobody pays it twice.",
    label: "Paid back",
  }),
};

/** The text about a payment that was reversed or disputed. */
export const takenBack =
  (kind: TakenBack) =>
  (facts: TakenBackFacts): AlertWords => {
    const amount = formatMoney(facts.amount, facts.currency);
    const { label, ...words } = TAKEN_BACK_WORDS[kind](amount, quoted(facts.organisationName));
    return {
      ...words,
      rows: [
        ["For", facts.title],
        ["Paid", formatMoney(facts.paid, facts.currency)],
        [label, amount],
        ["Reason", facts.reason],
        facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
      ],
    };
  };

/** Whether the money of a dispute was taken already, and whether the gateway takes evidence from the service. */
export type DisputeAlert = { readonly money: "taken" | "not taken"; readonly answer: "here" | "at the gateway" };

/** A dispute that can be answered. */
interface DisputeOpenedFacts extends AlertFacts, DisputeAlert {
  readonly title: string;
  readonly payerEmail: string | null;
  readonly gatewayName: string;
  readonly paid: Cents;
  readonly amount: Cents;
  readonly currency: string;
  readonly reason: string;
  readonly respondBy: Instant | null;
}

/** The text about a dispute, with the time until which it can be answered. */
export function disputeOpened(facts: DisputeOpenedFacts): AlertWords {
  const amount = formatMoney(facts.amount, facts.currency);
  const until = facts.respondBy === null ? null : momentInWords(facts.respondBy);
  const moved =
    facts.money === "taken" ? "The money is taken back until the dispute is decided." : "No money has moved yet.";
  return {
    subject: `a customer disputes ${amount}`,
    heading: "A payment is disputed",
    paragraph:
      `A customer disputes ${amount} of a payment to ${quoted(facts.organisationName)} with their bank. ${moved}` +
      (until === null ? "" : ` Respond by ${until}.`),
    rows: [
      ["For", facts.title],
      ["Paid", formatMoney(facts.paid, facts.currency)],
      ["Disputed", amount],
      ["Reason", facts.reason],
      until === null ? null : ["Respond by", until],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note:
      (facts.answer === "here"
        ? "Upload your evidence on the dispute's page, and submit it. "
        : `Respond in the dashboard of ${quoted(facts.gatewayName)}, which takes evidence there only. `) +
      "Without a response the dispute is lost.",
  };
}

/** The text about a payment that waits for an action of staff. */
export function waits(facts: WaitsFacts): AlertWords {
  const amount = formatMoney(facts.paid, facts.currency);
  return {
    subject: `a payment of ${amount} waits for you`,
    heading: "A payment waits for you",
    paragraph: `A payment of ${amount} to ${quoted(facts.organisationName)} needs an action from you at ${quoted(facts.gatewayName)}.`,
    rows: [["For", facts.title], ["Amount", amount], facts.payerEmail === null ? null : ["Customer", facts.payerEmail]],
    note: facts.reason,
  };
}

/** The text about a refund whose amount the gateway does not tell. */
export function refundUntold(facts: RefundUntoldFacts): AlertWords {
  const gateway = quoted(facts.gatewayName);
  return {
    subject: "a refund was made at the gateway",
    heading: "A refund to record",
    paragraph:
      `A payment to ${quoted(facts.organisationName)} was refunded in the dashboard of ${gateway}, which ` +
      "does not report the amount.",
    rows: [
      ["For", facts.title],
      ["Paid", formatMoney(facts.paid, facts.currency)],
      [`Reported by ${gateway}`, facts.word],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "It is not in the books yet. Find the amount at the gateway, and record it here as a refund that was made there.",
  };
}

const MISMATCH_WORDS: Readonly<Record<Mismatch, string>> = {
  amount: "Its amount is not the amount that was requested.",
  currency: "Its currency is not the currency that was requested.",
  account: "It is for another account at the gateway.",
  reference: "No payment has its reference.",
  second_payment: "The customer paid a second time under a reference that was already paid.",
  renewal: "The gateway collected a different amount from that of the subscription.",
  refund: "A refund was made in the gateway's own dashboard, and it is more than what remains of the payment here.",
};

const FITS_NOTHING = "Nothing was marked as paid. Compare it with the gateway's own records before you act on it.";
const MISMATCH_NOTES: Readonly<Partial<Record<Mismatch, string>>> = {
  second_payment:
    "The second payment is not in the books. Refund it at the gateway, or agree with the customer what it is for.",
  renewal: "It is not in the books yet. Accept or refund it on the payment's page.",
  refund: "This refund is not in the books. Compare the payment's refunds here with those at the gateway.",
};

/** The text about a notification that was not applied. */
export function mismatch(facts: NotificationMismatchFacts): AlertWords {
  return {
    subject: "a gateway notification was not applied",
    heading: "A gateway notification does not match",
    paragraph:
      `${quoted(facts.gatewayName)} sent ${quoted(facts.organisationName)} a notification about a ` +
      `payment, which was kept but not applied. ${MISMATCH_WORDS[facts.what]}`,
    rows: [
      ["Gateway", facts.gatewayName],
      facts.expected === null ? null : ["Expected", facts.expected],
      facts.received === null ? null : ["Received", facts.received],
    ],
    note: MISMATCH_NOTES[facts.what] ?? FITS_NOTHING,
  };
}

/** The text about a proof of payment to review. */
export function proofReceived(facts: ProofReceivedFacts): AlertWords {
  const amount = formatMoney(facts.amount, facts.currency);
  return {
    subject: `proof of a bank transfer of ${amount}`,
    heading: "Proof of payment to review",
    paragraph: `A customer sent ${quoted(facts.organisationName)} proof of a bank transfer of ${amount}.`,
    rows: [["For", facts.title], ["Amount", amount], facts.payerEmail === null ? null : ["Customer", facts.payerEmail]],
    note: "Anyone can create such a file. Approve it once the money is in your bank account, under this reference.",
  };
}

/** The text about a renewal that did not come. */
export function renewalMissing(facts: RenewalMissingFacts): AlertWords {
  return {
    subject: "a subscription was not collected",
    heading: "An expected renewal did not come",
    paragraph:
      `${quoted(facts.gatewayName)} has reported no collection of a subscription of ` +
      `${quoted(facts.organisationName)} that was due on ${dayInWords(facts.expectedOn)}.`,
    rows: [
      ["For", facts.title],
      ["Amount", formatMoney(facts.amount, facts.currency)],
      ["Expected on", dayInWords(facts.expectedOn)],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "Check the subscription in the gateway's own dashboard: it may have been collected, changed or cancelled there.",
  };
}

/** The text about a subscription that its gateway did not cancel. */
export function notCancelled(facts: NotCancelledFacts): AlertWords {
  return {
    subject: "a subscription was not cancelled",
    heading: "A subscription was not cancelled at the gateway",
    paragraph:
      `${quoted(facts.gatewayName)} refused to cancel a subscription of ` +
      `${quoted(facts.organisationName)} that another one has replaced, so it may keep charging the customer.`,
    rows: [
      ["For", facts.title],
      ["Amount", formatMoney(facts.amount, facts.currency)],
      ["At the gateway", facts.name],
      ["Reason", facts.reason],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "Cancel it in the gateway's own dashboard, so that the customer is not charged twice.",
  };
}

/** The text about a collection of a cancelled subscription. */
export function chargedOn(facts: ChargedOnFacts): AlertWords {
  return {
    subject: "a cancelled subscription was charged",
    heading: "A cancelled subscription was charged",
    paragraph: `${quoted(facts.gatewayName)} collected a subscription of ${quoted(facts.organisationName)} that is cancelled here.`,
    rows: [
      ["For", facts.title],
      ["Collected", formatMoney(facts.collected, facts.currency)],
      ["Payment", facts.payment],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "Cancel it in the gateway's own dashboard too, and refund the payment unless it was for a period before the cancellation.",
  };
}

/** The text about a subscription that its gateway refused to begin. */
export function notBegun(facts: NotBegunFacts): AlertWords {
  return {
    subject: "a subscription could not be started",
    heading: "A subscription was not started at the gateway",
    paragraph:
      `${quoted(facts.gatewayName)} took the first payment of a subscription of ` +
      `${quoted(facts.organisationName)}, and refused to collect later ones.`,
    rows: [
      ["For", facts.title],
      ["Amount", formatMoney(facts.amount, facts.currency)],
      ["Reason", facts.reason],
      facts.payerEmail === null ? null : ["Customer", facts.payerEmail],
    ],
    note: "It is cancelled: nothing more is collected. Send the customer a new link, or refund the payment.",
  };
}
