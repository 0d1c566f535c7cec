import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";

/** Interface 4.10: so many days a sign URL works. */
const SIGN_DAYS = 14;

/** When an agreement that is issued at `now` expires. */
export const agreementExpiresAt = (now: Instant): Instant => addSeconds(now, SIGN_DAYS * DAY_SECONDS);
