interface Unpaid {
  readonly unpaidReason: string | null;
  readonly unpaidCode: string | null;
}

/** Why a debit was returned unpaid, with the bank's code: `Insufficient funds (code 02)`; null unless it was. */
export const reasonOf = ({ unpaidReason, unpaidCode }: Unpaid): string | null =>
  unpaidReason !== null && unpaidCode !== null
    ? `${unpaidReason.replace(/\.$/, "")} (code ${unpaidCode})`
    : unpaidReason;
