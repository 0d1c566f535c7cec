import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { disputeStatus } from "../../lib/disputes.ts";

const STATUSES = ["open", "won", "lost", "accepted"] as const;

/** The list of disputes. */
export const Page = () => (
  <ResourceList
    resource="disputes"
    title="Disputes"
    path="/disputes"
    exported="/exports/disputes.csv"
    views={[{ label: "Open", filters: { status: "open" } }]}
    filters={[{ name: "status", label: "Status", options: STATUSES }]}
    columns={[
      { name: "reference", label: "Payment", cell: ({ transactionReference }) => transactionReference },
      { name: "customer", label: "Customer", cell: ({ customerId }) => <IdLink id={customerId} /> },
      { name: "status", label: "Status", cell: (dispute) => <Status of={disputeStatus(dispute)} /> },
      { name: "reason", label: "Reason", cell: ({ reason }) => <Words of={reason} /> },
      { name: "openedAt", label: "Opened", cell: ({ openedAt }) => <Time at={openedAt} day /> },
      {
        name: "respondBy",
        label: "Respond by",
        cell: ({ respondBy, status }) => <Time at={status === "open" ? respondBy : null} />,
      },
      { name: "closedAt", label: "Closed", cell: ({ closedAt }) => <Time at={closedAt} day />, extra: true },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No disputes",
      text: "When a customer disputes a payment at their bank, it is listed here with the time until which you can answer. Your evidence is kept, and sent where the gateway takes it.",
    }}
  />
);
