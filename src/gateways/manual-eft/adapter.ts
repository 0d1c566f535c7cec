import type { GatewayAdapter } from "../contract.ts";

/** Deposits that the payer makes and staff approve (interface 2.11, 4.9): an account to show, and no protocol. */
export const manualEft: GatewayAdapter = {
  type: "manual_eft",
  name: "Manual EFT",
  credentialFields: [
    {
      name: "bankName",
      label: "Bank",
      secret: false,
      required: true,
      pattern: ".{1,60}",
      hint: "at most 60 characters.",
    },
    {
      name: "accountName",
      label: "Account name",
      secret: false,
      required: true,
      pattern: ".{1,100}",
      hint: "at most 100 characters.",
    },
    {
      name: "accountNumber",
      label: "Account number",
      secret: false,
      required: true,
      pattern: "[0-9A-Za-z](?:[ -]?[0-9A-Za-z]){3,33}",
      hint: "4 to 34 digits or letters.",
    },
    {
      name: "branchCode",
      label: "Branch code",
      secret: false,
      required: true,
      pattern: "[0-9A-Za-z](?:[ -]?[0-9A-Za-z]){2,10}",
      hint: "the 6 digits of the branch, or the SWIFT code of a foreign bank.",
    },
    {
      name: "accountType",
      label: "Account type",
      secret: false,
      required: false,
      pattern: ".{1,30}",
      hint: "such as current or savings.",
      fallback: () => "current",
    },
  ],
  currencies: "any",
  simulated: false,
  manualBankTransfer: ({ bankName = "", accountName = "", accountNumber = "", branchCode = "", accountType = "" }) => ({
    bankName,
    accountName,
    accountNumber,
    branchCode,
    accountType,
  }),
};
