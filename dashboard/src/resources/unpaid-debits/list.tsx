import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId, IdLink, Money, Time, Words } from "../../components/values.tsx";
import { reasonOf } from "../../lib/unpaid.ts";

/** The list of debits that came back unpaid. */
export const Page = () => (
  <ResourceList
    resource="unpaid-debits"
    title="Unpaid debits"
    path="/unpaid-debits"
    idOf={({ reference }) => reference}
    linkOf={({ reference }) => `/transactions/${encodeURIComponent(reference)}`}
    exported="/exports/unpaid-debits.csv"
    filters={[
      { name: "from", label: "From", day: true },
      { name: "to", label: "To", day: true },
      {
        name: "open",
        label: "Still owed",
        options: [
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ],
      },
    ]}
    columns={[
      { name: "customer", label: "Customer", cell: ({ customerName }) => <Words of={customerName} /> },
      { name: "actionDate", label: "Date", cell: ({ actionDate }) => <Time at={actionDate} /> },
      {
        name: "reason",
        label: "Bank's reason",
        cell: ({ reason, code }) => <Words of={reasonOf({ unpaidReason: reason, unpaidCode: code })} />,
      },
      { name: "settled", label: "Still owed", cell: ({ settled }) => (settled ? "No" : "Yes") },
      { name: "mandate", label: "Mandate", cell: ({ mandateId }) => <IdLink id={mandateId} />, extra: true },
      { name: "batch", label: "Batch", cell: ({ debitBatchId }) => <IdLink id={debitBatchId} />, extra: true },
      {
        name: "payUrl",
        label: "Pay link",
        cell: ({ payUrl, settled }) => (payUrl && !settled ? <CopyId id={payUrl} label="Copy the pay link" /> : "–"),
        extra: true,
      },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No unpaid debits",
      text: "A debit order that the bank returns unpaid is listed here, with its reason and what is still owed. Its payer is mailed a link to pay it.",
    }}
  />
);
