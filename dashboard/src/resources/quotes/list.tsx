import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time } from "../../components/values.tsx";

const STATUSES = ["draft", "sent", "accepted", "declined", "expired", "invoiced"] as const;

/** The list of quotes. */
export const Page = () => (
  <ResourceList
    resource="quotes"
    title="Quotes"
    path="/quotes"
    create={{ label: "New quote", permission: "quotes:write", to: "/quotes/new" }}
    filters={[{ name: "status", label: "Status", options: STATUSES }]}
    columns={[
      { name: "number", label: "Number", cell: ({ number }) => number },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} known={customer.email} />,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "issueDate", label: "Issued", cell: ({ issueDate }) => <Time at={issueDate} day /> },
      { name: "expiryDate", label: "Valid until", cell: ({ expiryDate }) => <Time at={expiryDate} day /> },
      {
        name: "total",
        label: "Total",
        figures: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]}
    empty={{
      title: "No quote yet",
      text: "A quote says what something would cost. The customer accepts or declines it on its page, and you turn it into an invoice.",
    }}
  />
);
