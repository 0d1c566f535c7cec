import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { InvoiceStatus } from "./types.ts";

/** What changes an invoice's status (interface 3.3). */
export type InvoiceAction =
  | "send"
  | "past_due"
  | "part_payment"
  | "full_payment"
  | "part_reversal"
  | "full_reversal"
  | "cancel";

const MOVES: MoveTable<InvoiceStatus, InvoiceAction> = {
  draft: { send: "sent", past_due: "draft", part_payment: "partially_paid", full_payment: "paid", cancel: "cancelled" },
  sent: {
    send: "sent",
    past_due: "overdue",
    part_payment: "partially_paid",
    full_payment: "paid",
    cancel: "cancelled",
  },
  overdue: {
    send: "overdue",
    past_due: "overdue",
    part_payment: "partially_paid",
    full_payment: "paid",
    cancel: "cancelled",
  },
  partially_paid: {
    send: "partially_paid",
    past_due: "partially_paid",
    part_payment: "partially_paid",
    full_payment: "paid",
    part_reversal: "partially_paid",
    full_reversal: "sent",
    cancel: "cancelled",
  },
  paid: { past_due: "paid", part_reversal: "partially_paid", full_reversal: "sent" },
  cancelled: { past_due: "cancelled", cancel: "cancelled" },
};

/** The status that an action leads to, or null (interface 3.3). */
export const moveInvoice = movesOf(MOVES);

/** Whether the invoice can be paid (interface 3.2, 3.3); a draft can. */
export const isPayable = (status: InvoiceStatus): boolean => moveInvoice(status, "full_payment") !== null;
