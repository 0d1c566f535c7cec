import { type Instant, instant } from "../kernel/time.ts";

/** The machine's clock. Business code must not call it: leases, rate windows and idempotency only. */
export const machineNow = (): Instant => instant(Date.now());
