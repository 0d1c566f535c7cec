import type { Instant } from "../../kernel/time.ts";

/** An account's refused notifications, and its calls without a clear answer; times are by the machine's clock. */
export interface GatewayHealth {
  readonly refused: { readonly count: number; readonly lastAt: Instant | null; readonly last: string | null };
  readonly unclear: {
    readonly count: number;
    /** Since the last clear answer. */
    readonly inARow: number;
    readonly lastAt: Instant | null;
    readonly last: string | null;
  };
}

/** Recent outcomes of the payments of an account. */
export interface RecentReports {
  readonly lastNotificationAt: Instant | null;
  /** Notified facts by their outcome. */
  readonly applied: number;
  readonly repeated: number;
  readonly mismatch: number;
  readonly unknown: number;
  /** Payments that a notification decided. */
  readonly seen: number;
  /** Payments that were decided by asking, since there was no notification. */
  readonly asked: number;
}

/** Payments that are pending for longer than a payer takes. */
export interface WaitingPayments {
  readonly count: number;
  readonly oldestAt: Instant | null;
}
