/** The bank account that payers deposit to, as payers see it (interface 2.11). */
export interface BankDetails {
  readonly bankName: string;
  readonly accountName: string;
  readonly accountNumber: string;
  readonly branchCode: string;
  readonly accountType: string;
}

/** Digits of the longest number that a South African bank gives an account: that of a card. Those of accounts have 11 at most. */
const DIGITS_MAX = 16;

/**
 * Why no bank takes an account number at a branch, with the field that is wrong; null where nothing is known against
 * it. Spaces and dashes do not count. Branch codes of six digits are South African; the accounts of others may have
 * more digits and letters.
 */
export function accountFault({ accountNumber, branchCode }: Pick<BankDetails, "accountNumber" | "branchCode">): {
  readonly field: "accountNumber" | "branchCode";
  readonly message: string;
} | null {
  const [number = "", branch = ""] = [accountNumber, branchCode].map((text) => text.replaceAll(/[\s-]/gu, ""));
  if (/^0+$/.test(branch)) return { field: "branchCode", message: "No bank has this branch code." };
  if (/^0+$/.test(number)) return { field: "accountNumber", message: "No bank has this account number." };
  if (!/^\d{6}$/.test(branch) || (/^\d+$/.test(number) && number.length <= DIGITS_MAX)) return null;
  return {
    field: "accountNumber",
    message: `An account at a South African branch has a number of at most ${DIGITS_MAX} digits.`,
  };
}
