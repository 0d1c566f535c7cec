import type { GatewayAccountId, Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type BankDetailChangeId = Id<"bdc">;

/** Bank details as they may be shown and kept: `accountNumber` is masked but for its end. */
export interface ShownBankDetails {
  readonly bankName: string;
  readonly accountName: string;
  readonly accountNumber: string;
}

/** A change of the bank account that payers are told to pay to. */
export interface BankDetailChange {
  readonly id: BankDetailChangeId;
  readonly gatewayAccountId: GatewayAccountId;
  /** As the gateway account was called then; it may have been deleted since. */
  readonly gatewayName: string;
  readonly kind: "added" | "changed" | "removed";
  /** Which of the bank details differ, as credentials of the account are called. */
  readonly fields: readonly string[];
  /** Null when they were added. */
  readonly before: ShownBankDetails | null;
  /** Null when they were removed. */
  readonly after: ShownBankDetails | null;
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly changedAt: Instant;
  /** Until when credit is not paid out because of it; null for an organisation's first bank details, which hold nothing. */
  readonly heldUntil: Instant | null;
}
