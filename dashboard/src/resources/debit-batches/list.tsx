import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { statusOf } from "../../lib/batches.ts";
import { formatDay } from "../../lib/time.ts";
import { MakeBatch } from "./actions.tsx";

const STATUSES = ["open", "submitting", "submitted", "refused", "cancelled"] as const;

/** The list of debit batches. */
export const Page = () => (
  <ResourceList
    resource="debit-batches"
    title="Debit batches"
    path="/debit-batches"
    exported="/exports/debit-batches.csv"
    actions={<MakeBatch />}
    filters={[{ name: "status", label: "Status", options: STATUSES }]}
    columns={[
      { name: "actionDate", label: "For", cell: ({ actionDate }) => formatDay(actionDate) },
      { name: "status", label: "Status", cell: (batch) => <Status of={statusOf(batch)} /> },
      { name: "submittedAt", label: "Submitted", cell: ({ submittedAt }) => <Time at={submittedAt} /> },
      { name: "problem", label: "Problem", cell: ({ problem }) => <Words of={problem} />, extra: true },
      { name: "createdAt", label: "Created", cell: ({ createdAt }) => <Time at={createdAt} />, extra: true },
      { name: "count", label: "Debits", figures: true, cell: ({ count }) => count },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No batch yet",
      text: "Each day, the debits that are due are gathered into a batch and sent to the bank two business days ahead. Create one yourself to send it earlier.",
    }}
  />
);
