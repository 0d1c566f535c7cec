import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";

/** Expires an agreement that nobody has signed in time. The subject is the agreement's id. */
export const AGREEMENT_EXPIRE = dueWork("mandate_agreement.expire");

/** Shows an agreement as its customer sees it, and takes no signature: the address with which one signs is secret. */
export const AGREEMENT_PAGE = { path: "agreement", kind: "agr" } as const satisfies HostedPage;
