import type { Refund } from "../../domain/refunds.ts";
import type { Reversal } from "../../domain/reversal.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import type { Cents } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, type Instant } from "../../kernel/time.ts";
import { findCard } from "../../modules/cards/store.ts";
import { findSubscriptionAlone } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { findDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { listUnpaidDebits, unpaidTotalOf } from "../../modules/debit-batches/store/returned.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findDispute } from "../../modules/disputes/store.ts";
import type { Dispute } from "../../modules/disputes/types.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { MailFacts } from "../../modules/emails/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { findGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Permission } from "../../modules/members/rules.ts";
import { listByPermission } from "../../modules/members/store.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findMigrationOf } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { AlertFacts, AlertWords } from "../../templates/mails/alert-words.ts";
import {
  type BatchAlert,
  batch,
  debitsUnpaid,
  mandatePaused,
  notOnStatement,
  statementRefused,
  unread,
} from "../../templates/mails/debit-alerts.ts";
import type { Mail } from "../../templates/mails/layout.ts";
import {
  chargedOn,
  type DisputeAlert,
  disputeOpened,
  mismatch,
  noExchange,
  notBegun,
  notCancelled,
  overpaid,
  proofReceived,
  refundUntold,
  renewalMissing,
  staffAlertMail,
  takenBack,
  waits,
} from "../../templates/mails/staff-alert.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { declareMail, requestMail } from "./mail.ts";
import { fromTefo } from "./senders.ts";

/** Who may change payments receives alerts about money. */
const MONEY: Permission = "transactions:write";

/** The record that an alert is about. */
interface About {
  /** The record's reference, else its id. */
  readonly reference: string;
  /** The path of its page in the dashboard. */
  readonly path: string;
}

/**
 * A kind of alert. `Data` is stored when the alert is raised; what the record says is read when the mail is written.
 */
interface Alert<Data extends MailFacts> {
  /** Writes the alert. Null when the record has been deleted. */
  write(tx: Tx, ctx: Ctx, about: string, at: Instant, data: Data): Promise<Mail | null>;
}

/**
 * Alerts about records of one kind, which `read` finds by id, or a payment by its reference. Each alert is declared by
 * its data and its text.
 */
const alertsAbout =
  <Read extends About>(read: (tx: Tx, about: string) => Promise<Read | null>) =>
  <Data extends MailFacts>(words: (facts: AlertFacts & Read & Data) => AlertWords): Alert<Data> => ({
    async write(tx, { organisation, baseUrl }, about, at, data) {
      const found = await read(tx, about);
      if (!found) return null;
      const { name: organisationName, sandbox } = organisation;
      return staffAlertMail(words, { ...data, ...found, organisationName, sandbox, at, url: baseUrl + found.path });
    },
  });

const aboutPayment = alertsAbout(async (tx, reference) => {
  const found = await findByReference(tx, reference);
  return (
    found && {
      reference: found.reference,
      path: `/dashboard/transactions/${found.reference}`,
      gatewayName: found.gatewayType,
      title: found.description ?? found.reference,
      payerEmail: found.payerEmail,
      paid: found.amount,
      currency: found.currency,
    }
  );
});

const aboutDispute = alertsAbout(async (tx, id) => {
  const dispute = await findDispute(tx, id);
  const payment = dispute && (await findByReference(tx, dispute.transactionReference));
  return (
    payment && {
      reference: payment.reference,
      path: `/dashboard/disputes/${dispute.id}`,
      gatewayName: payment.gatewayType,
      title: payment.description ?? payment.reference,
      payerEmail: payment.payerEmail,
      paid: payment.amount,
      amount: dispute.amount,
      currency: payment.currency,
      reason: dispute.reason,
      respondBy: dispute.respondBy,
    }
  );
});

const aboutInvoice = alertsAbout(async (tx, id) => {
  const invoice = await findInvoice(tx, id);
  return (
    invoice && {
      reference: invoice.number,
      path: `/dashboard/invoices/${invoice.id}`,
      amount: invoice.total,
      currency: invoice.currency,
      payerEmail: invoice.customer.email,
    }
  );
});

const aboutOrder = alertsAbout(async (tx, id) => {
  const order = await findEftOrder(tx, id);
  return (
    order && {
      reference: order.reference,
      path: `/dashboard/eft-orders/${order.id}`,
      title: order.description ?? order.reference,
      amount: order.amount,
      currency: order.currency,
      payerEmail: order.payerEmail,
    }
  );
});

const aboutSubscription = alertsAbout(
  async (tx, id) => (await gatewaySubscription(tx, id)) ?? (await migratedSubscription(tx, id)),
);

const aboutMandate = alertsAbout(async (tx, id) => {
  const mandate = await findMandate(tx, id);
  return (
    mandate && {
      reference: mandate.accountReference,
      path: `/dashboard/mandates/${mandate.id}`,
      title: mandate.description,
      amount: mandate.amount,
      currency: MANDATE_CURRENCY,
      payerEmail: mandate.customer.email,
      withoutAuthority: mandate.authorityLostAt !== null,
    }
  );
});

const aboutBatch = alertsAbout(async (tx, id) => {
  const found = await findDebitBatch(tx, id);
  const account = found && (await findGatewayAccount(tx, found.gatewayAccountId));
  return (
    account && {
      reference: found.id,
      path: `/dashboard/debit-batches/${found.id}`,
      gatewayName: account.name,
      actionDate: found.actionDate,
      debits: found.debits,
      amount: found.amount,
      currency: MANDATE_CURRENCY,
      reason: found.problem,
    }
  );
});

/** How many debits a mail about a batch names. */
const DEBITS_NAMED = 10;

const aboutReturned = alertsAbout(async (tx, id) => {
  const found = await findDebitBatch(tx, id);
  if (!found) return null;
  const [total, debits] = await Promise.all([
    unpaidTotalOf(tx, found.id),
    listUnpaidDebits(tx, found.id, DEBITS_NAMED),
  ]);
  return {
    reference: found.id,
    path: `/dashboard/debit-batches/${found.id}`,
    actionDate: found.actionDate,
    of: found.debits,
    ...total,
    currency: MANDATE_CURRENCY,
    debits,
  };
});

/** Alerts about a gateway account; `path` is the page to look at, if it is not the account's. */
const aboutAccount = (path?: string) =>
  alertsAbout(async (tx, id) => {
    const account = await findGatewayAccount(tx, id);
    return (
      account && { reference: account.id, path: path ?? `/dashboard/gateways/${account.id}`, gatewayName: account.name }
    );
  });

/** The reason in the bank's or the gateway's words. */
type Because = Readonly<Record<"reason", string>>;
type TakenBack = Because & { readonly amount: Cents };

/** Every kind of alert, by the stored name: the record that it is about, what is stored, and its text. */
const ALERTS = {
  overpaid: aboutPayment<{ readonly excess: Cents }>(overpaid),
  mismatch: aboutPayment<Pick<Mismatch, "what" | "expected" | "received">>(mismatch),
  reversed: aboutPayment<TakenBack>(takenBack("reversed")),
  refund_failed: aboutPayment<TakenBack>(takenBack("refund_failed")),
  disputed: aboutPayment<TakenBack>(takenBack("disputed")),
  dispute_opened: aboutDispute<DisputeAlert>(disputeOpened),
  dispute_lost: aboutPayment<TakenBack>(takenBack("dispute_lost")),
  dispute_won: aboutPayment<TakenBack>(takenBack("dispute_won")),
  dispute_given_back: aboutPayment<TakenBack>(takenBack("dispute_given_back")),
  dispute_repaid: aboutPayment<TakenBack>(takenBack("dispute_repaid")),
  waits: aboutPayment<Because>(waits),
  refund_untold: aboutPayment<{ readonly word: string }>(refundUntold),
  no_exchange: aboutInvoice<Readonly<Record<never, never>>>(noExchange),
  proof: aboutOrder<Readonly<Record<never, never>>>(proofReceived),
  renewal: aboutSubscription<{ readonly expectedOn: CalendarDay }>(renewalMissing),
  runs_on: aboutSubscription<Because & { readonly name: string }>(notCancelled),
  charged_on: aboutSubscription<{ readonly payment: string; readonly collected: Cents }>(chargedOn),
  not_begun: aboutSubscription<Because>(notBegun),
  paused: aboutMandate<Because>(mandatePaused),
  batch: aboutBatch<{ readonly what: BatchAlert }>(batch),
  debits_unpaid: aboutReturned<Readonly<Record<never, never>>>(debitsUnpaid),
  statement: aboutAccount()<Because & { readonly day: CalendarDay }>(statementRefused),
  not_on_statement: aboutAccount("/dashboard/transactions?flag=not_on_statement")<{
    readonly count: number;
    readonly references: string;
  }>(notOnStatement),
  unread: aboutAccount()<Because & { readonly event: string }>(unread),
};
type Kind = keyof typeof ALERTS;
type DataOf<Of extends Kind> = (typeof ALERTS)[Of] extends Alert<infer Data> ? Data : never;

/** To the members who may change payments, or whom the settings name: an alert that staff must act on. */
export const STAFF_ALERT_MAIL = declareMail<MailFacts & { readonly alert: Kind }>(
  "staff_alert",
  async (tx, ctx, { about, createdAt, facts: { alert, ...data } }) => {
    const declared: Alert<MailFacts> = ALERTS[alert];
    const mail = await declared.write(tx, ctx, about, createdAt, data);
    return mail && fromTefo(mail);
  },
);

/**
 * Raises an alert, to the recipients of the settings, else to those members. Requests no mail when there is nobody, and no
 * second mail with the same key `once`.
 */
async function alertStaff<Of extends Kind>(
  tx: Tx,
  ctx: Ctx,
  alert: Of,
  about: string,
  data: DataOf<Of> & MailFacts,
  once?: string,
): Promise<void> {
  const [staff, { mail }] = await Promise.all([listByPermission(tx, MONEY), currentSettings(tx)]);
  const to = mail.alertRecipients.length > 0 ? mail.alertRecipients : staff.map(({ email }) => email);
  const facts = { ...data, alert };
  requestMail(tx, ctx, STAFF_ALERT_MAIL, { about, to, facts, ...(once === undefined ? {} : { once }) });
}

/**
 * Alerts staff that a fact about a payment was recorded and not applied, once for each payment and kind of mismatch,
 * and once for each further payment under its reference, or amount of a refund.
 */
export function alertMismatch(tx: Tx, ctx: Ctx, { reference }: Transaction, mismatch: Mismatch): Promise<void> {
  const { what, received } = mismatch;
  const isOneOfMany = what === "second_payment" || what === "refund";
  const once = `mismatch:${what}:${reference}${isOneOfMany ? `:${received}` : ""}`;
  return alertStaff(tx, ctx, "mismatch", reference, { ...mismatch }, once);
}

/** Alerts staff that a payment was more than what was owed, once for each payment. */
export const alertOverpaid = (tx: Tx, ctx: Ctx, { reference, overpaid }: Transaction): Promise<void> =>
  alertStaff(tx, ctx, "overpaid", reference, { excess: overpaid }, `overpaid:${reference}`);

/** Alerts staff that a bank reversed a payment, in full or in part, once for each reversal. */
export const alertReversed = (
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  { id, amount, reason }: Reversal,
): Promise<void> => alertStaff(tx, ctx, "reversed", reference, { amount, reason }, `reversed:${id}`);

/** Alerts staff that a refund could not be made although the gateway had accepted it, once for each refund. */
export function alertRefundFailed(tx: Tx, ctx: Ctx, { reference }: Transaction, refund: Refund): Promise<void> {
  const facts = { amount: refund.amount, reason: refund.failure ?? "The gateway gave none." };
  return alertStaff(tx, ctx, "refund_failed", reference, { ...facts }, `refund_failed:${refund.id}`);
}

/**
 * Alerts staff of a dispute that they can answer, once for each: whether its money is taken already, and where it is
 * answered.
 */
export const alertDisputeOpened = (tx: Tx, ctx: Ctx, { id }: Pick<Dispute, "id">, facts: DisputeAlert): Promise<void> =>
  alertStaff(tx, ctx, "dispute_opened", id, { ...facts }, `dispute_opened:${id}`);

/** Alerts staff of the outcome of a dispute, once for each dispute; `id` is the gateway's. */
export function alertDispute(
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  alert: "dispute_lost" | "dispute_won" | "dispute_given_back" | "dispute_repaid",
  { id, amount, reason }: { readonly id: string; readonly amount: Cents; readonly reason: string },
): Promise<void> {
  return alertStaff(tx, ctx, alert, reference, { amount, reason }, `${alert}:${reference}:${id}`);
}

/** Alerts staff that a gateway reports a refund made in its own dashboard without its amount, once for each refund. */
export const alertRefundUntold = (
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  { gatewayWord, providerRefundRef }: Pick<RefundFact, "gatewayWord" | "providerRefundRef">,
): Promise<void> =>
  alertStaff(
    tx,
    ctx,
    "refund_untold",
    reference,
    { word: gatewayWord },
    `refund_untold:${reference}:${providerRefundRef ?? gatewayWord}`,
  );

/** Alerts staff that they have to act on a payment at its gateway, once for each payment and reason. */
export const alertWaits = (tx: Tx, ctx: Ctx, reference: string, reason: string): Promise<void> =>
  alertStaff(tx, ctx, "waits", reference, { reason }, `waits:${reference}:${reason}`);

/** Alerts staff that an invoice in another currency was made without its rate in rand, once a day for each currency. */
export const alertNoExchange = (tx: Tx, ctx: Ctx, { id, currency }: Pick<Invoice, "id" | "currency">): Promise<void> =>
  alertStaff(tx, ctx, "no_exchange", id, {}, `no_exchange:${currency}:${calendarDay(ctx.now)}`);

/** Alerts staff that a proof waits for review, for each proof. */
export const alertProof = (tx: Tx, ctx: Ctx, order: Pick<EftOrder, "id">): Promise<void> =>
  alertStaff(tx, ctx, "proof", order.id, {});

/** Alerts staff that a renewal is missing, once for each subscription and date. */
export const alertMissingRenewal = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  expectedOn: CalendarDay,
): Promise<void> => alertStaff(tx, ctx, "renewal", id, { expectedOn }, `renewal:${id}:${expectedOn}`);

/**
 * Alerts staff that a gateway refused, with the reason, to cancel a subscription that another one, or a migration's,
 * has replaced, once for each `name` under which the gateway has it.
 */
export const alertNotCancelled = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id"> | SubscriptionMigration["subscription"],
  refused: { readonly name: string; readonly reason: string },
): Promise<void> => alertStaff(tx, ctx, "runs_on", id, { ...refused }, `runs_on:${refused.name}`);

/**
 * Alerts staff that a gateway accepted the first payment of a subscription and refused, with the reason, to start it.
 */
export const alertNotBegun = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  reason: string,
): Promise<void> => alertStaff(tx, ctx, "not_begun", id, { reason }, `not_begun:${id}`);

/** Alerts staff that a gateway collected a subscription which is cancelled here, once for each collection. */
export const alertChargedOn = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  { reference, amount }: Pick<Transaction, "reference" | "amount">,
): Promise<void> =>
  alertStaff(tx, ctx, "charged_on", id, { payment: reference, collected: amount }, `charged_on:${reference}`);

/**
 * Alerts staff that a returned debit, the third in a row or one without authority, paused its mandate, once for each
 * such debit.
 */
export const alertPaused = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<Mandate, "id">,
  { reference }: Pick<Transaction, "reference">,
  reason: string,
): Promise<void> => alertStaff(tx, ctx, "paused", id, { reason }, `paused:${reference}`);

/** Alerts staff of a problem with a batch of debits, which `what` gives, once for each batch and kind of alert. */
export const alertBatch = (tx: Tx, ctx: Ctx, { id }: Pick<DebitBatch, "id">, what: BatchAlert): Promise<void> =>
  alertStaff(tx, ctx, "batch", id, { what }, `batch:${what}:${id}`);

/** Alerts staff that debits of a batch were returned unpaid, once for each batch and business day. */
export const alertDebitsUnpaid = (tx: Tx, ctx: Ctx, { id }: Pick<DebitBatch, "id">): Promise<void> =>
  alertStaff(tx, ctx, "debits_unpaid", id, {}, `debits_unpaid:${id}:${calendarDay(ctx.now)}`);

/**
 * Alerts staff that a gateway refused, with the reason, the statement of a day; once on each business day on which this
 * continues.
 */
export const alertStatement = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  refused: { readonly day: CalendarDay; readonly reason: string },
): Promise<void> => alertStaff(tx, ctx, "statement", id, { ...refused }, `statement:${id}:${calendarDay(ctx.now)}`);

/** How many payments a mail about several of them names. */
const NAMED_MAX = 10;

/**
 * Alerts staff that no statement of a gateway account names these payments; the caller does so once for each payment.
 */
export const alertNotOnStatement = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  references: readonly string[],
): Promise<void> =>
  alertStaff(tx, ctx, "not_on_statement", id, {
    count: references.length,
    references: references.slice(0, NAMED_MAX).join(", "),
  });

/** Alerts staff that a gateway account sends a message of an unknown form, once for each of the gateway's events. */
export const alertUnread = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  unread: { readonly event: string; readonly reason: string },
): Promise<void> => alertStaff(tx, ctx, "unread", id, { ...unread }, `unread:${id}:${unread.event}`);

/** Reads a subscription that its gateway runs. */
async function gatewaySubscription(tx: Tx, id: string) {
  const found = await findGatewaySubscription(tx, id);
  return (
    found && {
      path: `/dashboard/subscriptions/${found.id}`,
      reference: found.firstReference ?? found.id,
      title: found.description ?? found.id,
      gatewayName: found.gatewayType ?? "gateway",
      amount: found.amount,
      currency: found.currency,
      payerEmail: found.payerEmail,
    }
  );
}

/** Reads the customer subscription of a migration, whose card names the gateway. */
async function migratedSubscription(tx: Tx, id: string) {
  const [found, migration] = await Promise.all([findSubscriptionAlone(tx, id), findMigrationOf(tx, id)]);
  const card = found?.card ? await findCard(tx, found.card.id) : null;
  const account = card && (await findGatewayAccount(tx, card.gatewayAccountId));
  return (
    found &&
    migration && {
      path: `/dashboard/customer-subscriptions/${found.id}`,
      reference: found.id,
      title: found.plan.name,
      gatewayName: account?.type ?? "gateway",
      amount: migration.amount,
      currency: found.state.terms.price.currency,
      payerEmail: found.customer.email,
    }
  );
}
