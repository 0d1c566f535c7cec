import type { Cents } from "../../kernel/money.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { HANDOFF_COLUMN } from "../../modules/payments/store/handoffs.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** What the result page of a payment shows. */
export interface PaymentFacts {
  readonly transaction: Transaction;
  /** The name that the merchant gave the gateway account; null when it was deleted. */
  readonly gatewayName: string | null;
  readonly refunded: Cents;
}

/**
 * Reads a payment by its reference. Null when there is none, and when `startedHere` says that it was started on another
 * page.
 */
export async function paymentOnPage(
  services: Services,
  ctx: Ctx,
  reference: string,
  startedHere: (tx: Tx, transaction: Transaction) => boolean | Promise<boolean>,
): Promise<PaymentFacts | null> {
  if (!/^[\x21-\x7e]{1,190}$/.test(reference)) return null;
  return services.db.read(ctx.organisation.id, async (tx) => {
    const transaction = await findByReference(tx, reference);
    if (!transaction || !(await startedHere(tx, transaction))) return null;
    const [account, refunds] = await Promise.all([
      findGatewayAccount(tx, transaction.gatewayAccountId),
      refundsOf(tx, [transaction.id]),
    ]);
    return { transaction, gatewayName: account?.name ?? null, refunded: refundedAmount(refunds) };
  });
}

/** The form that the payer's browser posts to the gateway. */
export interface Handoff {
  readonly action: string;
  /** The fields in the order that signatures depend on. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /**
   * The address to which the payer is redirected when the gateway knows only one address for the whole account; absent
   * for payments that were started without it.
   */
  readonly returnUrl?: string;
}

/** The form that `startPayment` stored encrypted; null for a payment whose payer was redirected by URL. */
export function handoffOf(
  services: Pick<Services, "secrets">,
  ctx: Ctx,
  { handoffSealed }: Transaction,
): Handoff | null {
  if (handoffSealed === null) return null;
  const context = { organisation: ctx.organisation.id, column: HANDOFF_COLUMN };
  return JSON.parse(services.secrets.open(handoffSealed, context)) as Handoff;
}
