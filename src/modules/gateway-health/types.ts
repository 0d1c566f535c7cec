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
