import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { totalsOf } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

type Invoice = Shape<"Invoice">;

const common = {
  permission: "invoices:write",
  name: ({ number }: Invoice) => number,
} as const;
const keyed = ({ id }: Invoice, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });
const isOpen = ({ status }: Invoice): boolean => status !== "cancelled" && status !== "paid";

const send: BulkAction<Invoice> = {
  ...common,
  label: "Send",
  applies: (invoice) => isOpen(invoice) && invoice.customer.email !== null,
  what: (chosen) =>
    `${counted(chosen.length, "customer mail", "customer mails")} with an invoice each, for ${totalsOf(chosen, ({ amountDue }) => amountDue)} together.`,
  run: (invoice, key) => got(api.POST("/invoices/{id}/send", { params: keyed(invoice, key), body: {} })),
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
  run: (invoice, key, reason) =>
    got(api.POST("/invoices/{id}/cancel", { params: keyed(invoice, key), body: { reason } })),
  touches: ["/invoices", "/customers", "/emails", "/audit-log"],
};

/** The actions on several invoices at once. */
export const BULK = [send, cancel];
