import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { totalsOf } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

const STATUSES = ["awaiting_payment", "awaiting_review", "rejected", "paid", "expired", "cancelled"] as const;

const cancel: BulkAction<Shape<"EftOrder">> = {
  label: "Cancel transfers",
  permission: "eft_orders:write",
  reason: "required",
  danger: true,
  name: ({ reference }) => reference,
  applies: ({ status }) => ["awaiting_payment", "awaiting_review", "rejected"].includes(status),
  what: (chosen) =>
    `${counted(chosen.length, "bank transfer")} over ${totalsOf(chosen, ({ amount }) => amount)} together can no longer be paid, and ${chosen.length === 1 ? "its payment is" : "their payments are"} cancelled. This cannot be undone.`,
  async run({ id }, key, { reason }) {
    const params = { path: { id }, header: { "Idempotency-Key": key } };
    await got(api.POST("/eft-orders/{id}/cancel", { params }));
    await noteReason(id, "Cancelled", reason);
  },
  touches: ["/eft-orders", "/transactions", "/invoices", "/customers", "/emails"],
};

/** The list of bank transfers. */
export const Page = () => (
  <ResourceList
    resource="eft-orders"
    title="EFT payments"
    path="/eft-orders"
    exported="/exports/eft-orders.csv"
    create={{ label: "New EFT payment", permission: "eft_orders:write", to: "/eft-orders/new" }}
    views={[
      { label: "Proof to check", filters: { status: "awaiting_review" } },
      { label: "Awaiting payment", filters: { status: "awaiting_payment" } },
      { label: "Paid", filters: { status: "paid" } },
    ]}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "externalReference", label: "Your reference" },
    ]}
    columns={[
      { name: "reference", label: "Reference", cell: ({ reference }) => reference },
      { name: "description", label: "For", cell: ({ description }) => <Words of={description} /> },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <IdLink id={customer?.id} />,
        extra: true,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "paymentReference", label: "On the statement", cell: ({ paymentReference }) => paymentReference },
      { name: "proofs", label: "Proofs", figures: true, cell: ({ proofs }) => proofs.length },
      {
        name: "externalReference",
        label: "Your reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
        extra: true,
      },
      { name: "createdAt", label: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    totals={{ amount: "Amount" }}
    bulk={[cancel]}
    empty={{
      title: "No bank transfer yet",
      text: "A bank transfer shows the customer your bank details and a reference, takes their proof of payment, and waits for you to find the money on your statement. It needs a gateway of the type Manual EFT.",
    }}
  />
);
