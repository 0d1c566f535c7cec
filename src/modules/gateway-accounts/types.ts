import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** A merchant's account at a gateway (interface 14.2, `gateways`). */
export interface GatewayAccount {
  readonly id: GatewayAccountId;
  readonly type: string;
  readonly name: string;
  /** `sandbox`: the gateway's own test environment; its payments carry the sandbox marker (interface 2.7). */
  readonly mode: "live" | "sandbox";
  readonly enabled: boolean;
  /** The encrypted credentials, as JSON; the API never returns them. */
  readonly credentialsSealed: string;
  readonly currencies: readonly string[];
  /**
   * Calls of its gateway without a clear answer since the last clear one, and the time of the last, by the machine's
   * clock. Set only in lists of accounts.
   */
  readonly unclear?: { readonly inARow: number; readonly lastAt: Instant | null };
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
