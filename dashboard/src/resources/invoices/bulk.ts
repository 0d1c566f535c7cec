import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { totalsOf } from "../../lib/money.ts";
import { toDateInput } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Invoice = Shape<"Invoice">;

const common = {
  permission: "invoices:write",
  name: ({ number }: Invoice) => number,
} as const;
const keyed = ({ id }: Invoice, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });
/** Whether it is a draft, dated before today, that sending can date today; the bill of a subscription keeps the date of its period. */
export const isDatedBefore = ({ status, charge, issueDate }: Invoice, now: string): boolean =>
  status === "draft" && charge === undefined && toDateInput(issueDate) < toDateInput(now);

const isOpen = ({ status }: Invoice): boolean => status !== "cancelled" && status !== "paid";

const send: BulkAction<Invoice> = {
  ...common,
  label: "Send",
  applies: (invoice) => isOpen(invoice) && invoice.customer.email !== null,
  choice: { label: "Date drafts of days gone by today", applies: isDatedBefore },
  what: (chosen, issueToday) =>
    `${counted(chosen.length, "customer mail", "customer mails")} with an invoice each, for ${totalsOf(chosen, ({ amountDue }) => amountDue)} together.${issueToday ? " Drafts are dated today, and their due dates leave as long to pay." : ""}`,
  run: (invoice, key, { choice: issueToday }) =>
    got(api.POST("/invoices/{id}/send", { params: keyed(invoice, key), body: issueToday ? { issueToday } : {} })),
  touches: ["/invoices", "/emails"],
};

const cancel: BulkAction<Invoice> = {
  ...common,
  label: "Cancel invoices",
  reason: "required",
  danger: true,
  applies: isOpen,
  what: (chosen) => {
    const paid = chosen.filter(({ amountPaid }) => amountPaid > 0);
    const credit =
      paid.length > 0
        ? ` What was paid, ${totalsOf(paid, ({ amountPaid }) => amountPaid)}, becomes the customers' credit.`
        : "";
    return `${counted(chosen.length, "invoice")} over ${totalsOf(chosen, ({ total }) => total)} together ${chosen.length === 1 ? "is" : "are"} written off and can no longer be paid.${credit} This cannot be undone.`;
  },
  run: (invoice, key, { reason }) =>
    got(api.POST("/invoices/{id}/cancel", { params: keyed(invoice, key), body: { reason } })),
  touches: ["/invoices", "/customers", "/emails", "/audit-log"],
};

/** The actions on several invoices at once. */
export const BULK = [send, cancel];
