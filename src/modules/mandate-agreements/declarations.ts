import { dueWork } from "../../platform/due-work.ts";

/** Expires an agreement that nobody has signed in time. The subject is the agreement's id. */
export const AGREEMENT_EXPIRE = dueWork("mandate_agreement.expire");
