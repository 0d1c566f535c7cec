import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";

const STATUSES = ["awaiting_payment", "awaiting_review", "rejected", "paid", "expired", "cancelled"] as const;

/** The list of bank transfers. */
export const Page = () => (
  <ResourceList
    resource="eft-orders"
    title="Bank transfers"
    path="/eft-orders"
    exported="/exports/eft-orders.csv"
    create={{ label: "New bank transfer", permission: "eft_orders:write", to: "/eft-orders/new" }}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "externalReference", label: "External reference" },
    ]}
    columns={[
      { name: "reference", label: "Reference", cell: ({ reference }) => reference },
      { name: "description", label: "For", cell: ({ description }) => <Words of={description} /> },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <IdLink id={customer?.id} />,
        extra: true,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "paymentReference", label: "On the statement", cell: ({ paymentReference }) => paymentReference },
      { name: "proofs", label: "Proofs", figures: true, cell: ({ proofs }) => proofs.length },
      {
        name: "externalReference",
        label: "External reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
        extra: true,
      },
      { name: "createdAt", label: "Made", cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No bank transfer yet",
      text: "A bank transfer shows the payer your bank details and a reference, takes their proof of payment, and waits for you to find the money on your statement. It needs a gateway of the type Manual EFT.",
    }}
  />
);
