import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";
import { CheckoutSessionObject } from "./schema.ts";

const data = CheckoutSessionObject;

export const CHECKOUT_COMPLETED = event("checkout.completed", {
  about: "The session whose payment is complete, or whose subscription began without one.",
  data,
});
export const CHECKOUT_FAILED = event("checkout.failed", {
  about: "The session whose payment failed or was cancelled; the payer may try again.",
  data,
});

/** Ends a session that nobody has paid. */
export const CHECKOUT_EXPIRE = dueWork("checkout_session.expire");

/** Releases the coupon of a checkout that was not paid in time; its subject is `heldCoupon`. */
export const CHECKOUT_RELEASE_COUPON = dueWork("checkout_session.release_coupon");

/** Ends the subscriptions that a completed session has made and that were not bought. */
export const CHECKOUT_END_OTHERS = dueWork("checkout_session.end_others");

/** Where a payer checks out; the token names the session. */
export const CHECKOUT_PAGE = { path: "c", kind: "chk" } as const satisfies HostedPage;
