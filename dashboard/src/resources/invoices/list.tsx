import { BY_AMOUNT, BY_DAY } from "../../components/list-sort.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { BULK } from "./bulk.ts";

const STATUSES = ["draft", "sent", "overdue", "partially_paid", "paid", "cancelled"] as const;

/** The list of invoices. */
export const Page = () => (
  <ResourceList
    resource="invoices"
    title="Invoices"
    path="/invoices"
    exported="/exports/invoices.csv"
    create={{ label: "New invoice", permission: "invoices:write", to: "/invoices/new" }}
    views={[
      { label: "Drafts", filters: { status: "draft" } },
      { label: "Unpaid", filters: { owing: "open" } },
      { label: "Overdue", filters: { owing: "overdue" } },
      { label: "Paid", filters: { status: "paid" } },
    ]}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      {
        name: "missed",
        label: "Collection",
        options: [
          { value: "failed", label: "Failed" },
          { value: "recovered", label: "Recovered" },
        ],
      },
    ]}
    columns={[
      { name: "number", label: "Number", cell: ({ number }) => number },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} />,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "issueDate", label: "Issued", cell: ({ issueDate }) => <Time at={issueDate} day />, extra: true },
      { name: "dueDate", label: "Due", sort: BY_DAY, cell: ({ dueDate }) => <Time at={dueDate} day /> },
      {
        name: "externalReference",
        label: "Your reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
        extra: true,
      },
      {
        name: "amountDue",
        label: "Balance due",
        figures: true,
        cell: ({ status, amountDue, currency }) => (
          <Money amount={status === "cancelled" ? 0 : amountDue} currency={currency} />
        ),
      },
      {
        name: "total",
        label: "Total",
        sort: BY_AMOUNT,
        figures: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]}
    totals={{ amountDue: "Balance due", total: "Total" }}
    bulk={BULK}
    empty={{
      title: "No invoice yet",
      text: "An invoice says what a customer owes, with VAT, and has a page where they pay it. Create one here or by the API; subscriptions make their own.",
    }}
  />
);
