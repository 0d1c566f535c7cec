import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Time } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";

const TYPES = { eft: "Bank transfer", debit_order: "Debit order" } as const;

/** Payments that count as paid, and that no statement has shown: the oldest first. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/awaited"
    title="Not in the bank yet"
    path="/reconciliation/awaited"
    exported="/exports/reconciliation-awaited.csv"
    linkOf={({ transactionReference }) => pathTo("transactions", transactionReference)}
    columns={[
      { name: "reference", label: "Payment", cell: ({ transactionReference }) => transactionReference },
      { name: "type", label: "Type", cell: ({ type }) => TYPES[type] },
      { name: "paidAt", label: "Marked paid", cell: ({ paidAt }) => <Time at={paidAt} /> },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customerId }) => <IdLink id={customerId} />,
      },
      { name: "order", label: "Proof", cell: ({ eftOrderId }) => <IdLink id={eftOrderId}>View</IdLink> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "Everything is in the bank",
      text: "A bank transfer that was approved by its proof, or a debit that the bank has reported, stays here until an imported statement shows its money. A proof that was forged is found here.",
    }}
  />
);
