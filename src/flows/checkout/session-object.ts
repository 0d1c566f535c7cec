import { appendEvent } from "../../events/outbox.ts";
import { withQuery } from "../../kernel/urls.ts";
import type { CHECKOUT_COMPLETED, CHECKOUT_FAILED } from "../../modules/checkout-sessions/declarations.ts";
import { CHECKOUT_PAGE } from "../../modules/checkout-sessions/declarations.ts";
import { asOf } from "../../modules/checkout-sessions/states.ts";
import { findCheckoutSession, withPayments } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession, ShownSession } from "../../modules/checkout-sessions/types.ts";
import { checkoutSessionView } from "../../modules/checkout-sessions/view.ts";
import { findPackage } from "../../modules/packages/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { readToken, signToken, verifyToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { PayerPage } from "../search/record-kind.ts";

type Sold = Pick<CheckoutSession, "packageId" | "planId" | "productId">;

/** The path of the checkout page of a package or a product (interface 4.12). */
export const checkoutPath = ({ organisation: { slug } }: Ctx, { packageId, productId }: Sold): string =>
  packageId === null ? `/c/${slug}/product/${productId}` : `/c/${slug}/package/${packageId}`;

/** The token of a session, which gives access to its checkout. */
export const sessionToken = ({ secrets, organisation }: Ctx, id: CheckoutSession["id"]): string =>
  signToken(linkKeyOf(secrets, organisation), CHECKOUT_PAGE.path, organisation.id, id);

/** The session that a token names; null for a token that this organisation did not sign. */
export function sessionOfToken({ secrets, organisation }: Ctx, token: string): CheckoutSession["id"] | null {
  const claim = readToken(token, CHECKOUT_PAGE.kind);
  if (claim?.organisation !== organisation.id) return null;
  return verifyToken(token, linkKeyOf(secrets, organisation), CHECKOUT_PAGE.path) ? claim.subject : null;
}

/** The URL of a session's page. */
export const sessionUrl = (ctx: Ctx, session: Pick<CheckoutSession, "id"> & Sold): string =>
  withQuery(ctx.baseUrl + checkoutPath(ctx, session), {
    ...(session.planId === null ? {} : { plan: session.planId }),
    session: sessionToken(ctx, session.id),
  });

/** The session with its present status, as the API shows it (interface 2.10). */
export const sessionObject = (ctx: Ctx, session: ShownSession) =>
  checkoutSessionView(asOf(session, ctx.now), sessionUrl(ctx, session));

/** Appends an event with the session as it is after the change. */
export async function appendCheckoutEvent(
  tx: Tx,
  ctx: Ctx,
  event: typeof CHECKOUT_COMPLETED | typeof CHECKOUT_FAILED,
  session: CheckoutSession,
): Promise<void> {
  const [shown] = await withPayments(tx, [session]);
  if (shown) appendEvent(tx, ctx.now, event, session.id, sessionObject(ctx, shown));
}

/** The page of a checkout session. */
export const sessionPage: PayerPage = async (tx, ctx, id) => {
  const session = await findCheckoutSession(tx, id);
  return session && sessionUrl(ctx, session);
};

/** The checkout page of a package on sale. */
export const packagePage: PayerPage = async (tx, ctx, id) => {
  const found = await findPackage(tx, id);
  return found?.enabled
    ? ctx.baseUrl + checkoutPath(ctx, { packageId: found.id, planId: null, productId: null })
    : null;
};

/** The checkout page of a product on sale. */
export const productPage: PayerPage = async (tx, ctx, id) => {
  const found = await findProduct(tx, id);
  return found?.enabled
    ? ctx.baseUrl + checkoutPath(ctx, { packageId: null, planId: null, productId: found.id })
    : null;
};
