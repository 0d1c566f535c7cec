import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { BULK } from "./bulk.ts";

const STATUSES = ["pending", "active", "paused", "cancelled"] as const;

/** The list of mandates. */
export const Page = () => (
  <ResourceList
    resource="mandates"
    title="Mandates"
    path="/mandates"
    exported="/exports/mandates.csv"
    create={{ label: "New mandate", permission: "mandates:write", to: "/mandates/new" }}
    views={[
      { label: "Active", filters: { status: "active" } },
      { label: "Pending", filters: { status: "pending" } },
      { label: "Paused", filters: { status: "paused" } },
    ]}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "accountReference", label: "Reference" },
    ]}
    columns={[
      { name: "accountReference", label: "Reference", cell: ({ accountReference }) => accountReference },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} />,
      },
      { name: "description", label: "For", cell: ({ description }) => <Words of={description} />, extra: true },
      { name: "stage", label: "Status", cell: ({ stage }) => <Status of={stage} /> },
      { name: "frequency", label: "Frequency", cell: ({ frequency }) => oftenInWords({ frequency }), extra: true },
      { name: "nextDebitDate", label: "Next debit", cell: ({ nextDebitDate }) => <Time at={nextDebitDate} /> },
      {
        name: "lastCollectedAt",
        label: "Last collected",
        cell: ({ lastCollectedAt }) => <Time at={lastCollectedAt} />,
        extra: true,
      },
      { name: "failureCount", label: "Unpaid in a row", figures: true, cell: ({ failureCount }) => failureCount },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    bulk={BULK}
    empty={{
      title: "No mandate yet",
      text: "A mandate is a customer's permission to debit their bank account. Create one here: the customer signs it on a page that you send them, and you approve it before the first debit.",
    }}
  />
);
