import type { AgreementStatus } from "../../domain/mandate-agreement.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import type { MandateAgreement } from "./types.ts";

/** Interface 4.10: a sign URL works for this many days. */
const SIGN_DAYS = 14;

/** When an agreement that is issued at `now` expires. */
export const agreementExpiresAt = (now: Instant): Instant => addSeconds(now, SIGN_DAYS * DAY_SECONDS);

/** The agreement's status at `now`: expired from its expiry on, even when the work that stores this has not run yet. */
export const statusAt = (
  { status, expiresAt }: Pick<MandateAgreement, "status" | "expiresAt">,
  now: Instant,
): AgreementStatus => (status === "open" && expiresAt <= now ? "expired" : status);
