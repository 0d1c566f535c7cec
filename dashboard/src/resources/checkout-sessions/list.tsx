import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";

/** The list of checkout sessions. */
export const Page = () => (
  <ResourceList
    resource="checkout-sessions"
    title="Checkouts"
    path="/checkout-sessions"
    exported="/exports/checkout-sessions.csv"
    create={{ label: "New checkout link", permission: "checkout_sessions:write", to: "/checkout-sessions/new" }}
    filters={[
      { name: "status", label: "Status", options: ["pending", "completed", "failed", "expired"] },
      {
        name: "reached",
        label: "Reached",
        options: [
          { value: "opened", label: "Opened" },
          { value: "started", label: "Form sent" },
          { value: "paid", label: "Completed" },
        ],
      },
    ]}
    columns={[
      {
        name: "payer",
        label: "Customer",
        cell: ({ prefill }) => <Words of={prefill.email ?? prefill.company ?? "Not known yet"} />,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      {
        name: "sold",
        label: "Item",
        cell: ({ planId, packageId, productId }) => <IdLink id={planId ?? packageId ?? productId} />,
      },
      { name: "source", label: "Started", cell: ({ source }) => (source === "api" ? "By a link" : "On the page") },
      { name: "coupon", label: "Coupon", cell: ({ couponCode }) => <Words of={couponCode} />, extra: true },
      { name: "createdAt", label: "Date", cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ transaction }) => <Money amount={transaction?.amount} currency={transaction?.currency ?? "ZAR"} />,
      },
    ]}
    totals={{}}
    empty={{
      title: "No checkouts yet",
      text: "A checkout is a customer's visit to the page of a package or product. Create a link that is filled in for one customer here or by the API, or give everybody the page's own address.",
    }}
  />
);
