import type { RefundFact } from "../../gateways/facts.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import type { Reversal } from "../../kernel/reversal.ts";
import { type BusinessDay, businessDay } from "../../kernel/time.ts";
import { findCard } from "../../modules/cards/store.ts";
import { findSubscriptionAlone } from "../../modules/customer-subscriptions/store.ts";
import { findDebitBatch } from "../../modules/debit-batches/store.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { RequestedMail } from "../../modules/emails/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { findGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { listByRole } from "../../modules/members/store.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import { findByReference } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findMigrationOf } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type {
  BatchAlert,
  NotOnStatementFacts,
  StatementRefusedFacts,
  UnreadFacts,
} from "../../templates/mails/debit-alerts.ts";
import {
  type ChargedOnFacts,
  type NotBegunFacts,
  type NotCancelledFacts,
  type RenewalMissingFacts,
  type StaffAlertFacts,
  staffAlertMail,
  type TakenBackFacts,
} from "../../templates/mails/staff-alert.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "./mail.ts";
import { fromTefo } from "./senders.ts";

/** The roles that receive alerts about money. */
const MONEY_ROLES = ["owner", "admin", "finance"] as const;

/**
 * The facts that staff have to check, with the amounts at that time. The subject of the mail is a payment's reference, or the id of the EFT
 * order, the subscription, the mandate, the batch or the gateway account that the alert is about.
 */
type AlertFacts =
  | { readonly alert: "overpaid"; readonly excess: Cents }
  | {
      readonly alert: "mismatch";
      readonly what: Mismatch["what"];
      readonly expected: string;
      readonly received: string;
    }
  | { readonly alert: TakenBackFacts["kind"]; readonly amount: Cents; readonly reason: string }
  | { readonly alert: "waits"; readonly reason: string }
  | { readonly alert: "refund_untold"; readonly word: string }
  | { readonly alert: "proof" }
  | { readonly alert: "renewal"; readonly expectedOn: BusinessDay }
  | { readonly alert: "runs_on"; readonly name: string; readonly reason: string }
  | { readonly alert: "charged_on"; readonly payment: string; readonly collected: Cents }
  | { readonly alert: "not_begun" | "paused"; readonly reason: string }
  | { readonly alert: "batch"; readonly what: BatchAlert }
  | { readonly alert: "unread"; readonly event: string; readonly reason: string }
  | { readonly alert: "not_on_statement"; readonly count: number; readonly references: string }
  | { readonly alert: "statement"; readonly day: BusinessDay; readonly reason: string };

/** To the members with one of `MONEY_ROLES`: an alert that staff must check. */
export const STAFF_ALERT_MAIL = declareMail<AlertFacts>("staff_alert", async (tx, ctx, request) => {
  const facts = await readFacts(tx, ctx, request);
  return facts && fromTefo(staffAlertMail(facts));
});

/**
 * Alerts staff that a fact about a payment was recorded and not applied, once for each payment and kind of mismatch, and once for each further
 * payment under its reference, or amount of a refund.
 */
export function alertMismatch(tx: Tx, ctx: Ctx, { reference }: Transaction, mismatch: Mismatch): Promise<void> {
  const { what, received } = mismatch;
  const isOneOfMany = what === "second_payment" || what === "refund";
  const once = `mismatch:${what}:${reference}${isOneOfMany ? `:${received}` : ""}`;
  return alertStaff(tx, ctx, reference, { alert: "mismatch", ...mismatch }, once);
}

/** Alerts staff that a payment was more than was owed, once for each payment. */
export const alertOverpaid = (tx: Tx, ctx: Ctx, { reference, overpaid }: Transaction): Promise<void> =>
  alertStaff(tx, ctx, reference, { alert: "overpaid", excess: overpaid }, `overpaid:${reference}`);

/** Alerts staff that a bank took back money of a payment, once for each reversal. */
export const alertReversed = (
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  { id, amount, reason }: Reversal,
): Promise<void> => alertStaff(tx, ctx, reference, { alert: "reversed", amount, reason }, `reversed:${id}`);

/** Alerts staff that a refund could not be made although the gateway had accepted it, once for each refund. */
export function alertRefundFailed(tx: Tx, ctx: Ctx, { reference }: Transaction, refund: Refund): Promise<void> {
  const facts = { amount: refund.amount, reason: refund.failure ?? "The gateway gave none." };
  return alertStaff(tx, ctx, reference, { alert: "refund_failed", ...facts }, `refund_failed:${refund.id}`);
}

/** Alerts staff of a dispute and of its outcome, once each for each dispute; `id` is the gateway's. */
export function alertDispute(
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  alert: "disputed" | "dispute_won" | "dispute_repaid",
  { id, amount, reason }: { readonly id: string; readonly amount: Cents; readonly reason: string },
): Promise<void> {
  return alertStaff(tx, ctx, reference, { alert, amount, reason }, `${alert}:${reference}:${id}`);
}

/** Alerts staff that a gateway tells of a refund made in its own dashboard and not how much it was, once for each refund. */
export const alertRefundUntold = (
  tx: Tx,
  ctx: Ctx,
  { reference }: Transaction,
  { gatewayWord, providerRefundRef }: Pick<RefundFact, "gatewayWord" | "providerRefundRef">,
): Promise<void> =>
  alertStaff(
    tx,
    ctx,
    reference,
    { alert: "refund_untold", word: gatewayWord },
    `refund_untold:${reference}:${providerRefundRef ?? gatewayWord}`,
  );

/** Alerts staff that a payment waits for an action of theirs at its gateway, once for each payment and reason. */
export const alertWaits = (tx: Tx, ctx: Ctx, reference: string, reason: string): Promise<void> =>
  alertStaff(tx, ctx, reference, { alert: "waits", reason }, `waits:${reference}:${reason}`);

/** Alerts staff that a proof waits for review, for each proof. */
export const alertProof = (tx: Tx, ctx: Ctx, order: Pick<EftOrder, "id">): Promise<void> =>
  alertStaff(tx, ctx, order.id, { alert: "proof" });

/** Alerts staff that a renewal is missing, once for each subscription and date. */
export const alertMissingRenewal = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  expectedOn: BusinessDay,
): Promise<void> => alertStaff(tx, ctx, id, { alert: "renewal", expectedOn }, `renewal:${id}:${expectedOn}`);

/**
 * Alerts staff that a gateway refused, with the reason, to cancel a subscription that was replaced, by another one or by that of a migration, once
 * for each `name` under which the gateway has it.
 */
export const alertNotCancelled = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id"> | SubscriptionMigration["subscription"],
  refused: { readonly name: string; readonly reason: string },
): Promise<void> => alertStaff(tx, ctx, id, { alert: "runs_on", ...refused }, `runs_on:${refused.name}`);

/** Alerts staff that a gateway accepted the first payment of a subscription and refused, with the reason, to start it. */
export const alertNotBegun = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  reason: string,
): Promise<void> => alertStaff(tx, ctx, id, { alert: "not_begun", reason }, `not_begun:${id}`);

/** Alerts staff that a gateway collected a subscription that is cancelled here, once for each collection. */
export const alertChargedOn = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewaySubscription, "id">,
  { reference, amount }: Pick<Transaction, "reference" | "amount">,
): Promise<void> =>
  alertStaff(tx, ctx, id, { alert: "charged_on", payment: reference, collected: amount }, `charged_on:${reference}`);

/** Alerts staff that a debit that was returned, the third in a row or one without authority, paused its mandate, once for each such debit. */
export const alertPaused = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<Mandate, "id">,
  { reference }: Pick<Transaction, "reference">,
  reason: string,
): Promise<void> => alertStaff(tx, ctx, id, { alert: "paused", reason }, `paused:${reference}`);

/** Alerts staff of a problem with a batch of debits, which is given in `problem`, once for each batch and kind of alert. */
export const alertBatch = (tx: Tx, ctx: Ctx, { id }: Pick<DebitBatch, "id">, what: BatchAlert): Promise<void> =>
  alertStaff(tx, ctx, id, { alert: "batch", what }, `batch:${what}:${id}`);

/** Alerts staff that a gateway refused, with the reason, the statement of a day; once on each business day on which this continues. */
export const alertStatement = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  refused: { readonly day: BusinessDay; readonly reason: string },
): Promise<void> =>
  alertStaff(tx, ctx, id, { alert: "statement", ...refused }, `statement:${id}:${businessDay(ctx.now)}`);

/** How many payments a mail about several names. */
const NAMED_MAX = 10;

/** Alerts staff that no statement of a gateway account names these payments; the caller does so once for each. */
export const alertNotOnStatement = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  references: readonly string[],
): Promise<void> =>
  alertStaff(tx, ctx, id, {
    alert: "not_on_statement",
    count: references.length,
    references: references.slice(0, NAMED_MAX).join(", "),
  });

/** Alerts staff that a gateway account sends a message of a shape that is not known, once for each of the gateway's events. */
export const alertUnread = (
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  unread: { readonly event: string; readonly reason: string },
): Promise<void> => alertStaff(tx, ctx, id, { alert: "unread", ...unread }, `unread:${id}:${unread.event}`);

function readFacts(tx: Tx, ctx: Ctx, request: RequestedMail<AlertFacts>): Promise<StaffAlertFacts | null> {
  const { facts } = request;
  switch (facts.alert) {
    case "proof":
      return proofFacts(tx, ctx, request);
    case "renewal":
      return subscriptionFacts(tx, ctx, request, { kind: "renewal_missing", expectedOn: facts.expectedOn });
    case "runs_on":
      return subscriptionFacts(tx, ctx, request, { kind: "runs_on", name: facts.name, reason: facts.reason });
    case "charged_on": {
      const { payment, collected } = facts;
      return subscriptionFacts(tx, ctx, request, { kind: "charged_on", payment, collected });
    }
    case "not_begun":
      return subscriptionFacts(tx, ctx, request, { kind: "not_begun", reason: facts.reason });
    case "paused":
      return pausedFacts(tx, ctx, request, facts.reason);
    case "batch":
      return batchFacts(tx, ctx, request, facts.what);
    case "statement":
      return accountFacts(tx, ctx, request, { kind: "statement_refused", day: facts.day, reason: facts.reason });
    case "not_on_statement": {
      const { count, references } = facts;
      return accountFacts(tx, ctx, request, { kind: "not_on_statement", count, references });
    }
    case "unread":
      return accountFacts(tx, ctx, request, { kind: "unread", event: facts.event, reason: facts.reason });
    default:
      return paymentFacts(tx, ctx, request, facts);
  }
}

async function pausedFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
  reason: string,
): Promise<StaffAlertFacts | null> {
  const mandate = await findMandate(tx, about);
  return (
    mandate && {
      kind: "mandate_paused",
      organisationName: ctx.organisation.name,
      sandbox: ctx.organisation.sandbox,
      reference: mandate.accountReference,
      at: createdAt,
      url: `${ctx.baseUrl}/dashboard/mandates/${mandate.id}`,
      title: mandate.description,
      amount: mandate.amount,
      currency: MANDATE_CURRENCY,
      reason,
      payerEmail: mandate.customer.email,
      withoutAuthority: mandate.authorityLostAt !== null,
    }
  );
}

async function batchFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
  what: BatchAlert,
): Promise<StaffAlertFacts | null> {
  const batch = await findDebitBatch(tx, about);
  const account = batch && (await findGatewayAccount(tx, batch.gatewayAccountId));
  return (
    account && {
      kind: "batch",
      what,
      organisationName: ctx.organisation.name,
      sandbox: ctx.organisation.sandbox,
      reference: batch.id,
      at: createdAt,
      url: `${ctx.baseUrl}/dashboard/debit-batches/${batch.id}`,
      gatewayName: account.name,
      actionDate: batch.actionDate,
      debits: batch.debits,
      amount: batch.amount,
      currency: MANDATE_CURRENCY,
      reason: batch.problem,
    }
  );
}

async function accountFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
  what:
    | Pick<StatementRefusedFacts, "kind" | "day" | "reason">
    | Pick<NotOnStatementFacts, "kind" | "count" | "references">
    | Pick<UnreadFacts, "kind" | "event" | "reason">,
): Promise<StaffAlertFacts | null> {
  const account = await findGatewayAccount(tx, about);
  return (
    account && {
      ...what,
      organisationName: ctx.organisation.name,
      sandbox: ctx.organisation.sandbox,
      reference: account.id,
      at: createdAt,
      url: `${ctx.baseUrl}/dashboard/${what.kind === "not_on_statement" ? "transactions?flag=not_on_statement" : `gateways/${account.id}`}`,
      gatewayName: account.name,
    }
  );
}

async function subscriptionFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
  what:
    | Pick<RenewalMissingFacts, "kind" | "expectedOn">
    | Pick<NotCancelledFacts, "kind" | "name" | "reason">
    | Pick<NotBegunFacts, "kind" | "reason">
    | Pick<ChargedOnFacts, "kind" | "payment" | "collected">,
): Promise<StaffAlertFacts | null> {
  const known = (await aboutGateways(tx, about)) ?? (await aboutMigrated(tx, about));
  return (
    known && {
      ...what,
      ...known.facts,
      organisationName: ctx.organisation.name,
      sandbox: ctx.organisation.sandbox,
      at: createdAt,
      url: `${ctx.baseUrl}/dashboard/${known.path}`,
    }
  );
}

/** Of a subscription that its gateway runs. */
async function aboutGateways(tx: Tx, id: string) {
  const found = await findGatewaySubscription(tx, id);
  return (
    found && {
      path: `subscriptions/${found.id}`,
      facts: {
        reference: found.firstReference ?? found.id,
        title: found.description ?? found.id,
        gatewayName: found.gatewayType ?? "gateway",
        amount: found.amount,
        currency: found.currency,
        payerEmail: found.payerEmail,
      },
    }
  );
}

/** Of the customer subscription of a migration, whose card names the gateway. */
async function aboutMigrated(tx: Tx, id: string) {
  const [found, migration] = await Promise.all([findSubscriptionAlone(tx, id), findMigrationOf(tx, id)]);
  const card = found?.card ? await findCard(tx, found.card.id) : null;
  const account = card && (await findGatewayAccount(tx, card.gatewayAccountId));
  return (
    found &&
    migration && {
      path: `customer-subscriptions/${found.id}`,
      facts: {
        reference: found.id,
        title: found.plan.name,
        gatewayName: account?.type ?? "gateway",
        amount: migration.amount,
        currency: found.state.terms.price.currency,
        payerEmail: found.customer.email,
      },
    }
  );
}

/** Requests no mail when no member has one of the roles. */
async function alertStaff(tx: Tx, ctx: Ctx, about: string, facts: AlertFacts, once?: string): Promise<void> {
  const staff = await listByRole(tx, MONEY_ROLES);
  const to = staff.map(({ email }) => email);
  requestMail(tx, ctx, STAFF_ALERT_MAIL, { about, to, facts, ...(once === undefined ? {} : { once }) });
}

async function proofFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
): Promise<StaffAlertFacts | null> {
  const order = await findEftOrder(tx, about);
  return (
    order && {
      kind: "proof_received",
      organisationName: ctx.organisation.name,
      sandbox: ctx.organisation.sandbox,
      reference: order.reference,
      at: createdAt,
      url: `${ctx.baseUrl}/dashboard/eft-orders/${order.id}`,
      title: order.description ?? order.reference,
      amount: order.amount,
      currency: order.currency,
      payerEmail: order.payerEmail,
    }
  );
}

async function paymentFacts(
  tx: Tx,
  ctx: Ctx,
  { about, createdAt }: RequestedMail<AlertFacts>,
  facts: AlertFacts & { readonly alert: "overpaid" | "mismatch" | TakenBackFacts["kind"] | "waits" | "refund_untold" },
): Promise<StaffAlertFacts | null> {
  const transaction = await findByReference(tx, about);
  if (!transaction) return null;
  const common = {
    organisationName: ctx.organisation.name,
    sandbox: ctx.organisation.sandbox,
    reference: transaction.reference,
    at: createdAt,
    url: `${ctx.baseUrl}/dashboard/transactions/${transaction.reference}`,
  };
  if (facts.alert === "mismatch")
    return {
      ...common,
      kind: "notification_mismatch",
      gatewayName: transaction.gatewayType,
      mismatch: facts.what,
      expected: facts.expected,
      received: facts.received,
    };
  const payment = {
    ...common,
    title: transaction.description ?? transaction.reference,
    payerEmail: transaction.payerEmail,
    paid: transaction.amount,
    currency: transaction.currency,
  };
  if (facts.alert === "refund_untold")
    return { ...payment, kind: "refund_untold", gatewayName: transaction.gatewayType, word: facts.word };
  if (facts.alert === "waits")
    return { ...payment, kind: "waits", gatewayName: transaction.gatewayType, reason: facts.reason };
  return facts.alert === "overpaid"
    ? { ...payment, kind: "overpaid", excess: facts.excess }
    : { ...payment, kind: facts.alert, amount: facts.amount, reason: facts.reason };
}
