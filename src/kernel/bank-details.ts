/** A bank account that payers deposit to, as they are told (interface 2.11). */
export interface BankDetails {
  readonly bankName: string;
  readonly accountName: string;
  readonly accountNumber: string;
  readonly branchCode: string;
  readonly accountType: string;
}
