import { withQuery } from "../../kernel/urls.ts";
import { CHECKOUT_PAGE } from "../../modules/checkout-sessions/declarations.ts";
import { asOf } from "../../modules/checkout-sessions/states.ts";
import type { CheckoutSession, ShownSession } from "../../modules/checkout-sessions/types.ts";
import { checkoutSessionView } from "../../modules/checkout-sessions/view.ts";
import { signToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { linkKeyOf } from "../organisations/link-key.ts";

type Sold = Pick<CheckoutSession, "packageId" | "planId" | "productId">;

/** The path of the checkout page of a package or a product (interface 4.12). */
const checkoutPath = ({ organisation: { slug } }: Ctx, { packageId, productId }: Sold): string =>
  packageId === null ? `/c/${slug}/product/${productId}` : `/c/${slug}/package/${packageId}`;

/** The token of a session: whoever has it may check out with the session. */
const sessionToken = ({ secrets, organisation }: Ctx, id: CheckoutSession["id"]): string =>
  signToken(linkKeyOf(secrets, organisation), CHECKOUT_PAGE.path, organisation.id, id);

/** The URL of a session's page. */
export const sessionUrl = (ctx: Ctx, session: Pick<CheckoutSession, "id"> & Sold): string =>
  withQuery(ctx.baseUrl + checkoutPath(ctx, session), {
    ...(session.planId === null ? {} : { plan: session.planId }),
    session: sessionToken(ctx, session.id),
  });

/** The session as it stands now, as the API shows it (interface 2.10). */
export const sessionObject = (ctx: Ctx, session: ShownSession) =>
  checkoutSessionView(asOf(session, ctx.now), sessionUrl(ctx, session));
