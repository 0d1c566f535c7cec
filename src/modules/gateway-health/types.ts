import type { Instant } from "../../kernel/time.ts";

/** Notifications of an account that were refused, and calls of its gateway that had no clear answer; times by the machine's clock. */
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
