import { words } from "./words.ts";

const DOES: Readonly<Record<string, string>> = {
  onceOff: "single payments",
  recurring: "subscriptions",
  pause: "pausing them",
  resume: "resuming them",
  cancel: "cancelling them",
  changeAmount: "changing their amount",
  changeDate: "changing their date",
  saveCard: "saving cards",
  chargeStoredCard: "charging saved cards",
  refund: "refunds",
  debitOrders: "debit orders",
  eMandate: "DebiCheck mandates",
  bankAccountCheck: "checking bank accounts",
  manualBankTransfer: "bank transfers that you check by hand",
};

/** The abilities of a gateway, in words: `onceOff`, `refund` as `single payments, refunds`. */
export const abilities = (capabilities: readonly string[]): string =>
  capabilities.map((one) => DOES[one] ?? words(one).toLowerCase()).join(", ");
