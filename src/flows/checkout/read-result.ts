import type { CheckoutSessionId } from "../../kernel/ids.ts";
import type { CheckoutDesign } from "../../modules/checkout-pages/schema.ts";
import { readDesign } from "../../modules/checkout-pages/store.ts";
import { asOf } from "../../modules/checkout-sessions/states.ts";
import { findCheckoutPayment, findCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { findPackage, findPlan } from "../../modules/packages/store.ts";
import { findByReference, findTransactions } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";

/** The facts on a result page. */
export interface CheckoutResult {
  readonly settings: Settings;
  readonly design: CheckoutDesign;
  /** The session, with its present status. */
  readonly session: CheckoutSession;
  /** Null when nothing was charged. */
  readonly payment: Transaction | null;
  /** The name of the product or plan. */
  readonly title: string;
}

/** The key of a result page: the payment's reference, else the session that its token names. */
export type ResultKey = { readonly reference: string } | { readonly sessionId: CheckoutSessionId };

/** Reads a result page. Null when there is no such payment of a checkout, or no such session. */
export async function readResult(tx: Tx, ctx: Ctx, key: ResultKey): Promise<CheckoutResult | null> {
  const [found, settings, design] = await Promise.all([resultOf(tx, key), currentSettings(tx), readDesign(tx)]);
  if (!found) return null;
  const session = asOf(found.session, ctx.now);
  return { settings, design, session, payment: found.payment, title: await titleOf(tx, session) };
}

async function resultOf(
  tx: Tx,
  key: ResultKey,
): Promise<{ session: CheckoutSession; payment: Transaction | null } | null> {
  if ("reference" in key) {
    const payment = /^[\x21-\x7e]{1,190}$/.test(key.reference) ? await findByReference(tx, key.reference) : null;
    const attempt = payment && (await findCheckoutPayment(tx, payment.id));
    const session = attempt && (await findCheckoutSession(tx, attempt.sessionId));
    return session && { session, payment };
  }
  const session = await findCheckoutSession(tx, key.sessionId);
  if (!session) return null;
  const { transactionId } = session;
  const payment = transactionId ? (await findTransactions(tx, [transactionId])).get(transactionId) : undefined;
  return { session, payment: payment ?? null };
}

async function titleOf(tx: Tx, { packageId, planId, productId }: CheckoutSession): Promise<string> {
  if (productId !== null) return (await findProduct(tx, productId))?.name ?? "";
  const [parent, plan] = await Promise.all([packageId && findPackage(tx, packageId), planId && findPlan(tx, planId)]);
  return [parent, plan].flatMap((one) => (one ? one.name : [])).join(", ");
}
