import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";

/** Expires an agreement that nobody has signed in time. The subject is the agreement's id. */
export const AGREEMENT_EXPIRE = dueWork("mandate_agreement.expire");

/** Shows an agreement to its customer, without a form to sign it: the address for signing is secret. */
export const AGREEMENT_PAGE = { path: "agreement", kind: "agr" } as const satisfies HostedPage;
