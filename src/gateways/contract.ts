import type { BankDetails } from "../kernel/bank-details.ts";
import type { Frequency } from "../kernel/frequency.ts";
import type { Cents } from "../kernel/money.ts";
import type { CalendarDay, Instant } from "../kernel/time.ts";
import type {
  BankAccount,
  BankAccountCheck,
  DebitOrderAbility,
  EMandateAbility,
  StatementAbility,
} from "./bank-debits.ts";
import type { CredentialField, Credentials, GatewayCall, Payer, Refusal } from "./call.ts";
import type { CardBrand, GatewayFact, PaymentFact, RefundFact, SubscriptionFact } from "./facts.ts";

export type * from "./bank-debits.ts";
export type * from "./call.ts";

/** A file that answers a dispute. */
export interface EvidenceFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly size: number;
  /** The hash in hexadecimal. */
  readonly sha256: string;
}

/** Answering disputes of payments; left out where the gateway takes evidence in its own dashboard only. */
export interface DisputeAbility {
  /** Sends the evidence, all of it; it may be sent again. */
  readonly submit: (
    dispute: { readonly payment: PaymentIdentity; readonly disputeId: string; readonly files: readonly EvidenceFile[] },
    call: GatewayCall,
  ) => Promise<{ readonly kind: "done" } | Refusal>;
}

/**
 * A gateway behind one interface (docs/architecture.md, Layers): stateless translation between the service's types and
 * the gateway's. No database, no clock, no gateway account except that of the call.
 *
 * An ability is a member of the adapter: present when the gateway has it, absent when not. Capabilities are computed from
 * these members (`capabilities.ts`), so the two cannot differ; the core checks for `subscriptions.pausing` to know whether it can pause.
 *
 * Functions answer a gateway's clear result. Without one (unreachable, timeout, 5xx, an unreadable answer) they throw `GatewayUnclear`
 * (`http.ts`): the request may or may not have taken effect, and the caller queries before it asks again.
 */
export interface GatewayAdapter {
  /** Interface 2.7 `gateway`: lower-case letters, digits and `_`. */
  readonly type: string;
  /** For people. */
  readonly name: string;
  readonly credentialFields: readonly CredentialField[];
  /** ISO 4217 codes that an account may list; `any` leaves it to the account. */
  readonly currencies: readonly string[] | "any";
  /**
   * This service contains the gateway itself (interface 13.6): only sandbox organisations may have such an account, and its base URL is
   * the server's own listener unless one is set.
   */
  readonly simulated: boolean;
  /**
   * Domains whose pages, and those of their subdomains, payers may be sent to (`payer-url.ts`). A gateway that sends
   * payers to none has none.
   */
  readonly payerDomains?: readonly string[];

  readonly checkout?: CheckoutAbility;
  readonly notifications?: NotificationAbility;
  readonly refunds?: RefundAbility;
  readonly subscriptions?: SubscriptionAbility;
  readonly storedCards?: StoredCardAbility;
  readonly disputes?: DisputeAbility;
  readonly debitOrders?: DebitOrderAbility;
  readonly eMandates?: EMandateAbility;
  readonly bankAccountCheck?: (bank: BankAccount, call: GatewayCall) => Promise<BankAccountCheck>;
  /** For results that are published only on a daily statement. */
  readonly statement?: StatementAbility;
  /** The bank account that payers pay into; such a gateway has no protocol (interface 2.11). */
  readonly manualBankTransfer?: (credentials: Credentials) => BankDetails;
  /** The mode that credentials are for, of a gateway whose keys say so; null where these do not. */
  readonly keysAreFor?: (credentials: Credentials) => GatewayCall["mode"] | null;
  /** For `GET /gateway-types`. */
  readonly facts?: GatewayTypeFacts;
  /**
   * Asks the gateway whether it accepts the credentials; changes nothing there and costs nothing. Left out where `connect` changes nothing
   * either, or where the gateway offers no such call. Used by the connection test, and in place of `connect` when an account is saved.
   */
  readonly check?: (call: GatewayCall) => Promise<Connection>;
  /** Runs when an account is saved: verifies the credentials, and does the set-up that the gateway needs by API. */
  readonly connect?: (request: { readonly notifyUrl: string }, call: GatewayCall) => Promise<Connection>;
  /** Runs when an account has been deleted: removes what `connect` set up. */
  readonly disconnect?: (request: { readonly notifyUrl: string }, call: GatewayCall) => Promise<Disconnection>;
}

/** What staff want to know of a gateway before they choose it. In words; rates are between the merchant and the gateway. */
export interface GatewayTypeFacts {
  /** The parts of a payment's cost for the merchant. */
  readonly fees: string;
  /** Whether the service gets the fee of each payment from the gateway. */
  readonly feesReported: boolean;
  /** What the gateway cannot do, or only within limits. */
  readonly limits: readonly string[];
}

// ------------------------------------------------------------------------------------------------ payments

/** Identifies a payment that was started through this gateway account. */
export interface PaymentIdentity {
  /** Ours: unique for ever and the idempotency key at the gateway. `shortReference` is for gateways that take at most 16 characters. */
  readonly reference: string;
  /** As answered by `start`. */
  readonly checkoutRef: string | null;
  /** As reported by a fact. */
  readonly providerRef: string | null;
  readonly amount: Cents;
  readonly currency: string;
  readonly startedAt: Instant;
}

export interface StartPaymentRequest {
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string;
  readonly payer: Payer;
  /** Where the payer's browser goes afterwards, by GET or by POST; it is no proof of the outcome. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** `/api/webhooks/{type}?account=<gateway id>` (interface 17.3). */
  readonly notifyUrl: string;
  /** The payment also starts a subscription that the gateway runs, without end. Only with `subscriptions`. */
  readonly recurring: {
    readonly frequency: Frequency;
    /** Of each later collection. */
    readonly amount: Cents;
    /** Of the first later collection; null: one period after today. */
    readonly nextChargeOn: CalendarDay | null;
  } | null;
  /** Ask for a token of the card. Only with `checkout.savesCards`. */
  readonly saveCard: boolean;
  /** The card also pays later charges of a subscription of this service, so it is saved without the payer's tick. Only with `saveCard`. */
  readonly startsSubscription: boolean;
  /**
   * The payment is useless without a saved card: a set-up, or the start of a subscription of this service. Only with
   * `saveCard`. Where a payment that saves a card can be made by card only, the adapter saves a card for these payments
   * only, so that all others can be made in every way.
   */
  readonly forCard: boolean;
}

/** Where the payer's browser is sent: a page by GET, or a form that it posts. Refused: the attempt failed. */
export type StartedPayment =
  | (Handoff & { readonly kind: "redirect"; readonly url: string })
  | (Handoff & {
      readonly kind: "form";
      readonly action: string;
      readonly fields: readonly (readonly [name: string, value: string])[];
    })
  | Refusal;

interface Handoff {
  /** The gateway's id of the checkout, which may differ from the id of the payment made in it. */
  readonly checkoutRef: string | null;
}

/** Payments on the gateway's own pages. */
export interface CheckoutAbility {
  readonly needsPayerEmail: boolean;
  /** Smallest amount per currency that the gateway takes; one that is not named has none. */
  readonly minimumAmounts: Readonly<Record<string, Cents>>;
  /** The smallest amounts apply to live payments only. */
  readonly sandboxTakesAll?: true;
  readonly savesCards: boolean;
  /** A payment that starts a subscription of the gateway's saves no card, whatever is asked. */
  readonly savesEither?: true;
  /**
   * The gateway has one return address for all payments of an account, which staff paste in its dashboard. What a
   * browser brings there is read as a notification, and proves nothing before it is confirmed.
   */
  readonly returnsToAccount?: true;
  start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment>;
  /** Null: the gateway does not know the payment, or cannot be queried with the ids known so far; the payment is left unchanged. */
  query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null>;
}

// ------------------------------------------------------------------------------------------------ notifications

/** A message at `/api/webhooks/{type}`, as it came. The account is the one its URL names, never one that its body names. */
export interface RawNotification {
  readonly method: string;
  /** The full URL as it was given to the gateway. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Uint8Array;
  /** Of the sender, trusted proxies taken off (interface 11.1). */
  readonly remoteAddress: string;
}

/**
 * The core answers every gateway alike: 200 with an empty body once the effect is committed or there is none, 400 when refused, 503 when
 * unclear (then the gateway sends again). No gateway needs more.
 */
export interface NotificationAbility {
  /** How the gateway learns our URL: with each payment, by `connect`, or staff paste it in the gateway's own dashboard. */
  readonly urlIsSet: "per payment" | "by connect" | "by hand";
  /** Verifies and translates the message without calling the gateway; never throws, whatever the message contains. */
  read(raw: RawNotification, call: GatewayCall): NotificationReading;
  /** Asks the gateway itself about a claim. Present when `read` may answer `confirm`. */
  readonly confirm?: (claim: string, call: GatewayCall) => Promise<VerifiedNotification | UnreadNotification | Refusal>;
}

/** Empty `facts`: a genuine message that needs no action. */
export interface VerifiedNotification {
  readonly kind: "verified";
  readonly facts: readonly GatewayFact[];
  /** Why a genuine message is not acted upon although it may look as if it had to be, in a sentence for staff. */
  readonly leftOut?: string;
}

/** It is the gateway's, and of a shape that is not known: to send it again would not help. `event` is the gateway's word for it. */
export interface UnreadNotification {
  readonly kind: "unread";
  readonly event: string;
  readonly reason: string;
}

export type NotificationReading =
  | VerifiedNotification
  | UnreadNotification
  /** Not verified yet. The claim is for `confirm`; it may be stored, sealed, and retried while the answer is unclear. */
  | { readonly kind: "confirm"; readonly claim: string }
  | Refusal;

// ------------------------------------------------------------------------------------------------ refunds

export interface RefundRequest {
  readonly payment: PaymentIdentity;
  /** Ours; the idempotency key. */
  readonly refundId: string;
  /** Above zero, at most what is left of the payment. */
  readonly amount: Cents;
  readonly reason: string | null;
  /** Another refund of the payment was asked for at the gateway before, and was not refused. */
  readonly isFurther?: boolean;
  /** By the organisation's clock. */
  readonly requestedAt: Instant;
  readonly notifyUrl: string;
}

export interface RefundAbility {
  /** Throws `GatewayNotReached` when the refund was certainly not requested; calls that come before the request are made `beforehand`. */
  refund(request: RefundRequest, call: GatewayCall): Promise<RefundFact>;
  /** Null: the gateway has no such refund, so asking again does not refund twice. Throws `GatewayUnclear` when that is not certain. */
  query(
    request: RefundRequest & { readonly providerRefundRef: string | null },
    call: GatewayCall,
  ): Promise<RefundFact | null>;
}

// ------------------------------------------------------------------------------------------------ subscriptions, cards

export type SubscriptionOutcome = { readonly kind: "done"; readonly nextChargeOn: CalendarDay | null } | Refusal;

type SubscriptionAction = (handle: string, call: GatewayCall) => Promise<SubscriptionOutcome>;

export interface SubscriptionChange {
  readonly amount?: Cents;
  readonly nextDate?: CalendarDay;
}

/** A subscription that the gateway starts only after its first payment. */
export interface SubscriptionBeginRequest {
  readonly key: string;
  /** `CardDetails.token` of the first payment. */
  readonly cardToken: string;
  /** The first collection, after today. */
  readonly nextChargeOn: CalendarDay;
}

/** `handle` as `SubscriptionLink.handle`. */
export type SubscriptionBegun = { readonly kind: "begun"; readonly handle: string | null } | Refusal;

/** Subscriptions that the gateway runs, started by `checkout.start`. Repeating an action that took effect is `done` (interface 3.12). */
export interface SubscriptionAbility {
  readonly cancel: SubscriptionAction;
  /** For a link that has `mustBegin`. Repeated, it begins no second one. */
  readonly begin?: (request: SubscriptionBeginRequest, call: GatewayCall) => Promise<SubscriptionBegun>;
  readonly pausing?: { readonly pause: SubscriptionAction; readonly resume: SubscriptionAction };
  /** In place; without it a new amount needs a new checkout (interface 4.7). */
  readonly changing?: {
    readonly amount: boolean;
    readonly nextDate: boolean;
    readonly change: (handle: string, change: SubscriptionChange, call: GatewayCall) => Promise<SubscriptionOutcome>;
  };
  /** Null: unknown to the gateway. */
  readonly query: (
    link: { readonly key: string; readonly handle: string | null },
    call: GatewayCall,
  ) => Promise<SubscriptionFact | null>;
}

export interface ChargeRequest {
  readonly reference: string;
  readonly card: { readonly token: string; readonly brand: CardBrand; readonly last4: string };
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string;
  readonly payer: Payer;
  readonly notifyUrl: string;
}

/** Charges without the payer: saved cards, retries of missed collections. */
export interface StoredCardAbility {
  readonly brands: readonly CardBrand[];
  readonly charge: (request: ChargeRequest, call: GatewayCall) => Promise<PaymentFact>;
  /**
   * Null: the gateway certainly has no such charge, so it may be sent or given up. `repeatable`: it was not found, and
   * may exist all the same; `charge` with the same reference does not charge twice. Throws `GatewayUnclear` when it may
   * exist and a repeated charge could be a second one.
   */
  readonly query: (charge: PaymentIdentity, call: GatewayCall) => Promise<PaymentFact | "repeatable" | null>;
  /**
   * Whether the gateway lists a charge with our reference now. For a gateway where `query` alone cannot be certain:
   * staff may then declare that the charge was never made.
   */
  readonly lists?: (reference: string, call: GatewayCall) => Promise<boolean>;
}

// ------------------------------------------------------------------------------------------------ accounts

export type Disconnection = { readonly kind: "disconnected" } | Refusal;

/** `credentials` are stored beside those that staff gave, such as a secret that the gateway shows only once. */
export type Connection = { readonly kind: "connected"; readonly credentials: Credentials } | Refusal;
