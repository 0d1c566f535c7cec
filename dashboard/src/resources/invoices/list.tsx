import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { formatMoney, sumOf } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

const STATUSES = ["draft", "sent", "overdue", "partially_paid", "paid", "cancelled"] as const;

const send: BulkAction<Shape<"Invoice">> = {
  label: "Send",
  permission: "invoices:write",
  name: ({ number }) => number,
  applies: ({ status, customer }) => status !== "cancelled" && status !== "paid" && customer.email !== null,
  what: (chosen) => {
    const currencies = [...new Set(chosen.map(({ currency }) => currency))];
    const owed = currencies.map((currency) =>
      formatMoney(sumOf(chosen.filter((one) => one.currency === currency).map(({ amountDue }) => amountDue)), currency),
    );
    return `${counted(chosen.length, "customer mail", "customer mails")} with an invoice each, for ${owed.join(" and ")} together.`;
  },
  run: ({ id }, key) =>
    got(api.POST("/invoices/{id}/send", { params: { path: { id }, header: { "Idempotency-Key": key } } })),
  touches: ["/invoices", "/emails"],
};

/** The list of invoices. */
export const Page = () => (
  <ResourceList
    resource="invoices"
    title="Invoices"
    path="/invoices"
    exported="/exports/invoices.csv"
    create={{ label: "New invoice", permission: "invoices:write", to: "/invoices/new" }}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      {
        name: "missed",
        label: "Collection",
        options: [
          { value: "failed", label: "Failed" },
          { value: "recovered", label: "Collected after all" },
        ],
      },
    ]}
    columns={[
      { name: "number", label: "Number", cell: ({ number }) => number },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} known={customer.email} />,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "issueDate", label: "Issued", cell: ({ issueDate }) => <Time at={issueDate} day />, extra: true },
      { name: "dueDate", label: "Due", cell: ({ dueDate }) => <Time at={dueDate} day /> },
      {
        name: "externalReference",
        label: "External reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
        extra: true,
      },
      {
        name: "amountDue",
        label: "To pay",
        figures: true,
        cell: ({ amountDue, currency }) => <Money amount={amountDue} currency={currency} />,
      },
      {
        name: "total",
        label: "Total",
        figures: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]}
    bulk={[send]}
    empty={{
      title: "No invoice yet",
      text: "An invoice says what a customer owes, with VAT, and has a page where they pay it. Make one here or by the API; subscriptions make their own.",
    }}
  />
);
