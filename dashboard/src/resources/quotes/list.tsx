import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { BY_AMOUNT } from "../../components/list-sort.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time } from "../../components/values.tsx";
import { counted } from "../../lib/words.ts";

const STATUSES = ["draft", "sent", "accepted", "declined", "expired", "invoiced"] as const;

const send: BulkAction<Shape<"Quote">> = {
  label: "Send",
  permission: "quotes:write",
  name: ({ number }) => number,
  applies: ({ status, customer }) => ["draft", "sent", "expired"].includes(status) && customer.email !== null,
  what: (chosen) => `${counted(chosen.length, "customer mail")} with a quote each, and a page to accept or decline it.`,
  run: ({ id }, key) =>
    got(api.POST("/quotes/{id}/send", { params: { path: { id }, header: { "Idempotency-Key": key } } })),
  touches: ["/quotes", "/emails"],
};

/** The list of quotes. */
export const Page = () => (
  <ResourceList
    resource="quotes"
    title="Quotes"
    path="/quotes"
    exported="/exports/quotes.csv"
    create={{ label: "New quote", permission: "quotes:write", to: "/quotes/new" }}
    views={[
      { label: "Drafts", filters: { status: "draft" } },
      { label: "Sent", filters: { status: "sent" } },
      { label: "Accepted", filters: { status: "accepted" } },
    ]}
    filters={[{ name: "status", label: "Status", options: STATUSES }]}
    columns={[
      { name: "number", label: "Number", cell: ({ number }) => number },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} />,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "issueDate", label: "Issued", cell: ({ issueDate }) => <Time at={issueDate} day /> },
      { name: "expiryDate", label: "Valid until", cell: ({ expiryDate }) => <Time at={expiryDate} day /> },
      {
        name: "total",
        label: "Total",
        sort: BY_AMOUNT,
        figures: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]}
    totals={{ total: "Total" }}
    bulk={[send]}
    empty={{
      title: "No quote yet",
      text: "A quote says what something would cost. The customer accepts or declines it on its page, and you turn it into an invoice.",
    }}
  />
);
