import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";
import { EftOrderObject } from "./schema.ts";

export const EFT_PROOF_RECEIVED = event("eft.proof_received", {
  about: "The EFT order, with the proof of payment that was sent for it.",
  data: EftOrderObject,
});
export const EFT_REJECTED = event("eft.rejected", {
  about: "The EFT order, with the reason why its proof was rejected.",
  data: EftOrderObject,
});
export const EFT_EXPIRED = event("eft.expired", {
  about: "The EFT order that nobody paid in time.",
  data: EftOrderObject,
});
export const EFT_CANCELLED = event("eft.cancelled", {
  about: "The EFT order that was cancelled.",
  data: EftOrderObject,
});

/** Expires an EFT order that nobody has paid in time. */
export const EFT_EXPIRE = dueWork("eft.expire");
/** Reminds the payer of an EFT order before it expires. */
export const EFT_REMIND = dueWork("eft.remind");

/** The page on which the payer reads the bank details and uploads a proof of payment (interface 2.11). */
export const EFT_PAGE = { path: "eft", kind: "eft" } as const satisfies HostedPage;
