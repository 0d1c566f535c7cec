import { newCardChargeReference } from "../../domain/new-references.ts";
import type { ChargeRequest } from "../../gateways/contract.ts";
import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import { assert } from "../../kernel/assert.ts";
import type { GatewayAccountId, InvoiceId, PaymentLinkId, TransactionId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay, type Instant } from "../../kernel/time.ts";
import { chargeOfTransaction, insertCardCharge } from "../../modules/card-charges/store.ts";
import type { CardCharge } from "../../modules/card-charges/types.ts";
import { isUsable } from "../../modules/cards/rules.ts";
import { findCardOfCharge, TOKEN_COLUMN } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { PAYMENT_CHECK } from "../../modules/payments/declarations.ts";
import { newTransaction, nextCheck } from "../../modules/payments/rules.ts";
import { findTransaction, insertTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { type Gateway, gatewayCallOf, gatewayOf, isSandboxPayment, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { answerAbout, identityOf } from "../gateways/payment-identity.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import type { Services } from "../services.ts";

/** The order to charge a saved card: the amount and its purpose. */
export interface CardOrder {
  readonly card: Card;
  readonly gateway: Gateway;
  readonly customer: Customer;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  readonly paymentLinkId: PaymentLinkId | null;
  readonly invoiceId: InvoiceId | null;
  /** The fields of the payment that concern the invoice's customer subscription; absent when it has none. */
  readonly subscription?: Partial<Pick<Transaction, "subscriptionId" | "renewal" | "parentReference">>;
  /**
   * The cause of the charge: a request to the API, a page, an invoice that became due, or the collection of a
   * subscription. `attempt` counts from 1.
   */
  readonly by:
    | { readonly kind: "api"; readonly reference: string; readonly attempt: number }
    | { readonly kind: "page" | "due" | "collection" };
}

/** A charge with its card, the arguments of `cardChargeView`. */
export interface ChargeWithCard {
  readonly charge: CardCharge;
  readonly transaction: Transaction;
  readonly card: Card;
}

/** The payment of a charge with the data for its gateway. */
export interface AskedCharge {
  readonly transaction: Transaction;
  readonly card: Card;
  readonly gateway: Gateway;
  readonly customer: Customer;
}

/** The answer of this account's gateway about a charge. */
interface Answered {
  readonly accountId: GatewayAccountId;
  readonly fact: PaymentFact;
}

/**
 * First step of a charge, in the caller's transaction: records it as a pending payment, with the due work that asks the
 * gateway about it. Null when another charge has the external reference, or the invoice was charged earlier on its due
 * date; the payment is then inserted too, so the caller must end its transaction with an error. The caller has locked
 * the cards of the customer (`lockCards`) and checked that the card can be charged (`chargingGateway`).
 */
export async function recordCharge(tx: Tx, ctx: Ctx, order: CardOrder): Promise<(ChargeWithCard & AskedCharge) | null> {
  const { by, card, customer, gateway } = order;
  const { account } = gateway;
  const transaction = newTransaction({
    id: newId("txn"),
    reference: newCardChargeReference(by.kind === "api" ? by.attempt : 1),
    amount: order.amount,
    currency: order.currency,
    type: "card_debit",
    gatewayAccountId: account.id,
    gatewayType: account.type,
    sandbox: isSandboxPayment(ctx.organisation, account),
    description: order.description,
    payerEmail: customer.email,
    customerId: customer.id,
    card: card.last4 === "" ? null : card,
    paymentLinkId: order.paymentLinkId,
    invoiceId: order.invoiceId,
    externalReference: order.externalReference,
    metadata: order.metadata,
    ...order.subscription,
    createdAt: ctx.now,
  });
  insertTransaction(tx, transaction);
  const charge: CardCharge = {
    id: newId("chg"),
    transactionId: transaction.id,
    customerId: customer.id,
    cardId: card.id,
    status: "pending",
    externalReference: by.kind === "api" ? by.reference : null,
    holdsReference: by.kind === "api",
    dueInvoiceId: by.kind === "due" ? order.invoiceId : null,
    isCollection: by.kind === "collection",
    chargeDay: calendarDay(ctx.now),
    failureReason: null,
  };
  if (!(await insertCardCharge(tx, charge))) return null;
  enqueue(tx, PAYMENT_CHECK, transaction.id, nextCheck(ctx.now, ctx.now));
  return { charge, transaction, card, gateway, customer };
}

/** Null for a payment that has ended, and for one that charges no saved card. */
async function findAskedCharge(tx: Tx, id: TransactionId): Promise<AskedCharge | null> {
  const [transaction, card] = await Promise.all([findTransaction(tx, id), findCardOfCharge(tx, id)]);
  if (transaction?.status !== "pending" || !card) return null;
  const [account, customer] = await Promise.all([
    findGatewayAccount(tx, transaction.gatewayAccountId),
    findCustomer(tx, card.customerId),
  ]);
  if (!account) return null;
  assert(customer, "the customer of a charge stays");
  return { transaction, card, gateway: gatewayOf(account), customer };
}

/**
 * Second step, outside of any transaction: the gateway charges the card, under our reference. `recorded` is the charge
 * that the first step has just recorded. When it is null, the gateway may have been asked before: it is first queried,
 * and asked to charge only when it has no such charge or repeats its first answer, so that nobody is charged twice. A
 * card that has been removed or has failed is not charged: the charge fails when the gateway certainly has none, and is
 * unclear otherwise. Null when the payment has ended.
 */
export async function askToCharge(
  services: Services,
  ctx: Ctx,
  transactionId: TransactionId,
  recorded: AskedCharge | null,
): Promise<Answered | Unclear | null> {
  const again = recorded === null;
  const asked = recorded ?? (await services.db.read(ctx.organisation.id, (tx) => findAskedCharge(tx, transactionId)));
  const ability = asked?.gateway.adapter.storedCards;
  if (!asked || !ability) return null;
  const { transaction, card, gateway } = asked;
  const call = gatewayCallOf(services, ctx.organisation, gateway.account, ctx.now);
  const { reference } = transaction;
  const { id: accountId } = gateway.account;
  const fact = await askGateway(services, { payment: reference, gateway: accountId }, async () => {
    const payment = identityOf(transaction);
    const known = again ? await ability.query(payment, call) : null;
    if (known !== null && known !== "repeatable") return answerAbout(payment, known);
    if (again && !isUsable(card, ctx.now)) {
      if (known === null) return withdrawn(reference);
      throw new GatewayUnclear("The gateway may have charged a card that cannot be used any more.");
    }
    return answerAbout(payment, await ability.charge(requestOf(ctx, asked), call));
  });
  return fact === "unclear" ? fact : { accountId, fact };
}

function requestOf(ctx: Ctx, { transaction, card, gateway, customer }: AskedCharge): ChargeRequest {
  const { reference, amount, currency, description, payerEmail } = transaction;
  const { brand, last4, tokenSealed } = card;
  const token = ctx.secrets.open(tokenSealed, { organisation: ctx.organisation.id, column: TOKEN_COLUMN });
  return {
    reference,
    card: { token, brand, last4 },
    amount,
    currency,
    description: description ?? reference,
    payer: {
      email: payerEmail,
      firstName: customer.firstName,
      lastName: customer.lastName,
      phone: customer.phone,
    },
    notifyUrl: notifyUrlOf(ctx, gateway.account),
  };
}

const withdrawn = (reference: string): PaymentFact => ({
  ...internalFact(reference, "not sent"),
  kind: "declined",
  amount: null,
  currency: null,
  reason: "The card could not be used any more when the gateway was to charge it.",
  hard: false,
});

/**
 * Third step, in a transaction: applies the gateway's answer. An unclear answer and null change nothing. Locks as
 * `settlePayment`.
 */
export async function settleCharge(
  tx: Tx,
  ctx: Ctx,
  answer: Answered | Unclear | null,
): Promise<"mismatch" | "settled" | "open"> {
  if (answer === null || answer === "unclear") return "open";
  const { accountId, fact } = answer;
  const outcome = await settlePayment(tx, ctx, { accountId, source: "query" }, fact);
  if (outcome === "mismatch") return "mismatch";
  return fact.kind === "pending" ? "open" : "settled";
}

/**
 * All three steps, for a charge without a request with an Idempotency-Key. `record` returns why there is no charge when
 * it records none.
 */
export async function chargeStoredCard<NoCharge extends object>(
  services: Services,
  ctx: Ctx,
  record: (tx: Tx) => Promise<AskedCharge | NoCharge>,
): Promise<Transaction | NoCharge> {
  const { id: organisation } = ctx.organisation;
  const recorded = await services.db.transaction(organisation, record);
  if (!("transaction" in recorded)) return recorded;
  const answer = await askToCharge(services, ctx, recorded.transaction.id, recorded);
  await services.db.transaction(organisation, (tx) => settleCharge(tx, ctx, answer));
  return recorded.transaction;
}

/**
 * Asks the gateway about a pending charge and applies the answer; a charge that the gateway does not know is sent
 * again. Returns when to ask again, or null when it has ended. The charge stays pending as long as the bank takes.
 */
export async function checkCharge(services: Services, ctx: Ctx, transaction: Transaction): Promise<Instant | null> {
  const answer = await askToCharge(services, ctx, transaction.id, null);
  const outcome = await services.db.transaction(ctx.organisation.id, (tx) => settleCharge(tx, ctx, answer));
  return outcome === "settled" ? null : nextCheck(transaction.createdAt, ctx.now);
}

/**
 * The charge of a transaction, with its card, as `cardChargeView` shows it. Throws an AssertionError when the
 * transaction is no charge.
 */
export async function chargeWithCard(tx: Tx, id: TransactionId): Promise<ChargeWithCard> {
  const [charge, transaction, card] = await Promise.all([
    chargeOfTransaction(tx, id),
    findTransaction(tx, id),
    findCardOfCharge(tx, id),
  ]);
  assert(charge && transaction && card, "a recorded charge stays");
  return { charge, transaction, card };
}
