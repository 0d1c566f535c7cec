import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";

/** Ends a session that nobody has paid. */
export const CHECKOUT_EXPIRE = dueWork("checkout_session.expire");

/** Where a payer checks out; the token names the session. */
export const CHECKOUT_PAGE = { path: "c", kind: "chk" } as const satisfies HostedPage;
