import type { GatewayAccountId, Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type BankDetailChangeId = Id<"bdc">;

/** Bank details as they may be shown and stored: `accountNumber` is masked except for its last characters. */
export interface ShownBankDetails {
  readonly bankName: string;
  readonly accountName: string;
  readonly accountNumber: string;
}

/** A change of the bank account that is shown to payers. */
export interface BankDetailChange {
  readonly id: BankDetailChangeId;
  readonly gatewayAccountId: GatewayAccountId;
  /** The name of the gateway account at that time; it may have been deleted since. */
  readonly gatewayName: string;
  readonly kind: "added" | "changed" | "removed";
  /** The bank details that differ, by their names in the account's credentials. */
  readonly fields: readonly string[];
  /** Null when they were added. */
  readonly before: ShownBankDetails | null;
  /** Null when they were removed. */
  readonly after: ShownBankDetails | null;
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly changedAt: Instant;
  /** The end of the hold on payouts of credit; null for an organisation's first bank details, which cause no hold. */
  readonly heldUntil: Instant | null;
}
