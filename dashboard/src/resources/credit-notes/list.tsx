import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";

/** The list of credit notes. */
export const Page = () => (
  <ResourceList
    resource="credit-notes"
    title="Credit notes"
    path="/credit-notes"
    exported="/exports/credit-notes.csv"
    create={{ label: "New credit note", permission: "credit_notes:write", to: "/credit-notes/new" }}
    columns={[
      { name: "number", label: "Number", cell: ({ number }) => number },
      { name: "customer", label: "Customer", cell: ({ customerId }) => <IdLink id={customerId} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "reason", label: "Reason", cell: ({ reason }) => <Words of={reason} /> },
      { name: "createdAt", label: "Issued", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      {
        name: "remaining",
        label: "Credit remaining",
        figures: true,
        cell: ({ remaining, currency }) => <Money amount={remaining} currency={currency} />,
      },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    totals={{ remaining: "Credit remaining", amount: "Amount" }}
    empty={{
      title: "No credit note yet",
      text: "A credit note takes back a part of what was charged, with its VAT. Create one here, or from the invoice that it corrects; it is applied to that invoice, then to what else the customer owes, oldest first.",
    }}
  />
);
