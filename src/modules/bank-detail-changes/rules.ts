import type { BankDetails } from "../../kernel/bank-details.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import type { BankDetailChange, ShownBankDetails } from "./types.ts";

/** The difference between the bank details before and after; null when there is none. */
export function differenceOf(
  before: BankDetails | null,
  after: BankDetails | null,
): Pick<BankDetailChange, "kind" | "fields" | "before" | "after"> | null {
  const one = before ?? after;
  if (!one) return null;
  const fields = (Object.keys(one) as (keyof BankDetails)[]).filter((field) => before?.[field] !== after?.[field]);
  if (fields.length === 0) return null;
  const kind = before === null ? "added" : after === null ? "removed" : "changed";
  return { kind, fields, before: before && shown(before), after: after && shown(after) };
}

/** Leaves out branch and type of the account, which do not identify its owner. */
const shown = ({ bankName, accountName, accountNumber }: BankDetails): ShownBankDetails => ({
  bankName,
  accountName,
  accountNumber: masked(accountNumber),
});

/** The last four characters behind dots; of a short number at most its half. */
export function masked(accountNumber: string): string {
  const plain = accountNumber.replaceAll(/[ -]/g, "");
  return `••••${plain.slice(-Math.min(4, Math.floor(plain.length / 2)))}`;
}

/** Until when credit is not paid out after a change of bank details at this time. */
export const holdFrom = (changedAt: Instant): Instant => addSeconds(changedAt, DAY_SECONDS);
