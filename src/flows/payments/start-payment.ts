import { withFreeName } from "../../domain/free-name.ts";
import { newCheckoutReference } from "../../domain/new-references.ts";
import type { Payer, StartedPayment, StartPaymentRequest } from "../../gateways/contract.ts";
import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { requirePayerUrl } from "../../gateways/payer-url.ts";
import { PAYMENT_CHECK } from "../../modules/payments/declarations.ts";
import { newTransaction, nextCheck } from "../../modules/payments/rules.ts";
import { HANDOFF_COLUMN, recordHandoff } from "../../modules/payments/store/handoffs.ts";
import { insertTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { violatedUnique } from "../../platform/faults.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { type Gateway, gatewayCallOf, isSandboxPayment, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { requireReconnection } from "../gateways/reconnect.ts";
import type { Services } from "../services.ts";
import type { Handoff } from "./payment-on-page.ts";
import { settlePayment } from "./settle-payment.ts";

/** A pending payment that its gateway is asked to start. */
export interface Attempt {
  readonly transaction: Transaction;
  readonly gateway: Gateway;
  /** The payer's names and phone number; the transaction has the email address. */
  readonly payer: Omit<Payer, "email">;
  readonly recurring: StartPaymentRequest["recurring"];
  /** Whether the gateway is asked to save the card. */
  readonly saveCard: boolean;
  /** Whether the card also pays later charges of a customer subscription, so that the payer is not asked. */
  readonly startsSubscription?: boolean;
}

/** Where the payer's browser goes next. */
export type StartedAttempt =
  | { readonly kind: "redirect"; readonly reference: string; readonly url: string }
  | { readonly kind: "form"; readonly reference: string }
  | { readonly kind: "refused"; readonly reference: string }
  /**
   * The gateway gave no clear answer: the payment stays pending, due work asks about it, and the payer may try again.
   */
  | { readonly kind: "unclear"; readonly reference: string };

/** The URLs to which the gateway sends the payer's browser back. */
export interface AttemptPages {
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/**
 * Starts a payment (interface 3.1, first row): records it as pending, commits, calls the gateway, records the answer
 * (docs/architecture.md, The path of a payment). `record` runs in the first transaction: it locks and checks what is
 * paid, and records the payment with `recordAttempt`, or returns why there is none. `pages` gives the URLs of the
 * return and cancel pages by the reference.
 */
export async function startPayment<NoAttempt extends { readonly kind: string }>(
  services: Services,
  ctx: Ctx,
  record: (tx: Tx) => Promise<Attempt | NoAttempt>,
  pages: (reference: string) => AttemptPages,
): Promise<StartedAttempt | NoAttempt> {
  const attempt = await recordOnce(services, ctx, record);
  if (!("transaction" in attempt)) return attempt;
  const { transaction } = attempt;
  const { reference } = transaction;
  const about = { payment: reference, gateway: transaction.gatewayAccountId };
  const answer = await askGateway(services, about, () => callGateway(services, ctx, attempt, pages(reference)));
  if (answer === "unclear") return { kind: "unclear", reference };
  const { organisation } = ctx;
  return services.db.transaction(organisation.id, async (tx): Promise<StartedAttempt> => {
    if (answer.kind === "refused") {
      const reportedBy = { accountId: transaction.gatewayAccountId, source: "query" } as const;
      await settlePayment(tx, ctx, reportedBy, declinedFactOf(transaction, answer.reason));
      return { kind: "refused", reference };
    }
    requireReconnection(tx, services, ctx, attempt.gateway.account);
    const form = answer.kind === "form" ? JSON.stringify(handoffTo(answer, pages(reference))) : null;
    recordHandoff(tx, transaction.id, {
      checkoutRef: answer.checkoutRef,
      sealed: form && services.secrets.seal(form, { organisation: organisation.id, column: HANDOFF_COLUMN }),
    });
    return answer.kind === "form" ? { kind: "form", reference } : { kind: "redirect", reference, url: answer.url };
  });
}

const handoffTo = (
  { action, fields }: Extract<StartedPayment, { kind: "form" }>,
  { returnUrl }: AttemptPages,
): Handoff => ({ action, fields, returnUrl });

/** The fields of a new transaction that the caller decides. */
type Asked = Pick<Transaction, "amount" | "currency" | "type" | "description"> & Partial<Transaction>;

/** Inserts the pending transaction of a payment through the gateway, with the due work that asks about it. */
export function recordAttempt(tx: Tx, ctx: Ctx, { account }: Gateway, asked: Asked): Transaction {
  const transaction = newTransaction({
    ...asked,
    id: newId("txn"),
    reference: newCheckoutReference(ctx.now),
    gatewayAccountId: account.id,
    gatewayType: account.type,
    sandbox: isSandboxPayment(ctx.organisation, account),
    createdAt: ctx.now,
  });
  insertTransaction(tx, transaction);
  enqueue(tx, PAYMENT_CHECK, transaction.id, nextCheck(ctx.now, ctx.now));
  return transaction;
}

async function recordOnce<Recorded>(
  services: Services,
  ctx: Ctx,
  record: (tx: Tx) => Promise<Recorded>,
): Promise<Recorded> {
  // Two references of one day may be equal; the next try has another one.
  const { recorded } = await withFreeName(async () => {
    try {
      return { recorded: await services.db.transaction(ctx.organisation.id, record) };
    } catch (error) {
      if (violatedUnique(error) !== "transactions_organisation_id_reference_key") throw error;
      return null;
    }
  });
  return recorded;
}

async function callGateway(
  services: Services,
  ctx: Ctx,
  { transaction, gateway, payer, recurring, saveCard, startsSubscription = false }: Attempt,
  pages: AttemptPages,
): Promise<StartedPayment> {
  const { account, adapter } = gateway;
  if (!adapter.checkout) return { kind: "refused", reason: "this gateway has no payment page" };
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const started = await adapter.checkout.start(
    {
      reference: transaction.reference,
      amount: transaction.amount,
      currency: transaction.currency,
      description: transaction.description ?? transaction.reference,
      payer: { email: transaction.payerEmail, ...payer },
      ...pages,
      notifyUrl: notifyUrlOf(services, account),
      recurring,
      saveCard,
      startsSubscription,
      forCard: saveCard && (startsSubscription || transaction.type === "card_setup"),
    },
    call,
  );
  if (started.kind !== "refused")
    requirePayerUrl(adapter, call, started.kind === "form" ? started.action : started.url);
  return started;
}

const declinedFactOf = ({ reference }: Transaction, reason: string): PaymentFact => ({
  ...internalFact(reference, "refused to start"),
  kind: "declined",
  amount: null,
  currency: null,
  reason,
  hard: false,
});
