import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { counted } from "../../lib/words.ts";

const deactivate: BulkAction<Shape<"StaffPaymentLink">> = {
  label: "Deactivate",
  permission: "payment_links:write",
  name: ({ title }) => title,
  // The pay link of an invoice is deactivated on its own page, or with the invoice.
  applies: ({ active, collectsBalance }) => active && !collectsBalance,
  what: (chosen) =>
    `${counted(chosen.length, "payment link")} can no longer be paid. Payments that are under way still count. This cannot be undone.`,
  run: ({ id }) => got(api.POST("/payment-links/{id}/deactivate", { params: { path: { id } } })),
  touches: ["/payment-links", "/audit-log"],
};

/** The list of payment links. */
export const Page = () => (
  <ResourceList
    resource="payment-links"
    title="Payment links"
    path="/payment-links"
    exported="/exports/payment-links.csv"
    create={{ label: "New payment link", permission: "payment_links:write", to: "/payment-links/new" }}
    views={[
      { label: "Active", filters: { active: "true" } },
      { label: "Inactive", filters: { active: "false" } },
    ]}
    totals={{}}
    filters={[
      {
        name: "reached",
        label: "Reached",
        options: [
          { value: "opened", label: "Opened" },
          { value: "started", label: "Payment started" },
          { value: "paid", label: "Paid" },
        ],
      },
      {
        name: "ofInvoice",
        label: "Pays",
        options: [
          { value: "false", label: "No invoice" },
          { value: "true", label: "An invoice" },
        ],
      },
      { name: "externalReference", label: "Your reference" },
    ]}
    columns={[
      { name: "title", label: "Title", cell: ({ title }) => <Words of={title} /> },
      { name: "active", label: "Status", cell: ({ active }) => <Status of={active ? "active" : "inactive"} /> },
      { name: "recurring", label: "Paid", cell: ({ recurring }) => oftenInWords(recurring) },
      { name: "paidCount", label: "Payments", figures: true, cell: ({ paidCount }) => paidCount },
      { name: "expiresAt", label: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} />, extra: true },
      { name: "createdAt", label: "Created", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    bulk={[deactivate]}
    empty={{
      title: "No payment link yet",
      text: "A payment link is a page where anybody with its address pays: send it by mail or message, or put it on your site.",
    }}
  />
);
