import type { InvoiceStatus } from "./types.ts";

/** What moves an invoice (spec 3.3). */
export type InvoiceTrigger = "send" | "past_due" | "part_payment" | "full_payment" | "cancel";

/** Spec 3.3, cell for cell; null is refused. */
export const MOVES: Readonly<Record<InvoiceStatus, Readonly<Record<InvoiceTrigger, InvoiceStatus | null>>>> = {
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
    cancel: "cancelled",
  },
  paid: { send: null, past_due: "paid", part_payment: null, full_payment: null, cancel: null },
  cancelled: { send: null, past_due: "cancelled", part_payment: null, full_payment: null, cancel: "cancelled" },
};

/** Statuses in which money is owed: it was issued, and neither paid nor cancelled. */
export const OPEN_STATUSES = ["sent", "overdue", "partially_paid"] as const satisfies readonly InvoiceStatus[];

/** Whether it can still be paid (spec 3.2, 3.3); a draft can. */
export const isPayable = (status: InvoiceStatus): boolean => MOVES[status].full_payment !== null;
