/** What a South African bank says by the code with which it returns a debit. */
export interface DebitReturn {
  readonly reason: string;
  /** The same account may pay on the next date. */
  readonly soft?: true;
  /** The account holder disputes a debit that was collected. */
  readonly disputed?: true;
  /** The account holder has given no authority, or has withdrawn it: nothing may be debited until they sign again. */
  readonly deniesAuthority?: true;
}

/** By code, in the numbering of the South African banks. */
export const DEBIT_RETURNS: Readonly<Record<string, DebitReturn>> = {
  "02": { reason: "Not provided for", soft: true },
  "03": { reason: "Debits are not allowed to this account" },
  "04": { reason: "Payment stopped by the account holder" },
  "06": { reason: "The account is frozen" },
  "08": { reason: "The account holder is under sequestration" },
  "10": { reason: "The account holder is under liquidation" },
  "12": { reason: "The account is closed" },
  "14": { reason: "The account was moved to another bank" },
  "16": { reason: "The account was moved to another bank" },
  "18": { reason: "The account holder has died" },
  "22": { reason: "The effects are not cleared", soft: true },
  "26": { reason: "The account is closed" },
  "28": { reason: "Recalled" },
  "30": { reason: "The account holder has given no authority to debit", disputed: true, deniesAuthority: true },
  "32": { reason: "The debit is against the rules", disputed: true },
  "34": { reason: "The account holder has cancelled the authority to debit", disputed: true, deniesAuthority: true },
  "36": { reason: "Payment was stopped before", disputed: true },
  "56": { reason: "The account holder is not identified (FICA)" },
  "60": { reason: "Rejected after repeated unpaid debits" },
};

/** Whether a debit that is returned with this code says that nothing may be debited until the account holder signs again. */
export const deniesAuthority = (code: string | null): boolean =>
  code !== null && DEBIT_RETURNS[code]?.deniesAuthority === true;
