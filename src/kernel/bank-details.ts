/** The bank account that payers deposit to, as payers see it (interface 2.11). */
export interface BankDetails {
  readonly bankName: string;
  readonly accountName: string;
  readonly accountNumber: string;
  readonly branchCode: string;
  readonly accountType: string;
}
