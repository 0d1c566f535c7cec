import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Time } from "../../components/values.tsx";
import { MOVEMENT_KINDS, MOVEMENTS } from "../../lib/movements.ts";
import { pathTo } from "../../lib/paths.ts";

/** The list of movements of recurring revenue, each with a link to its subscription. */
export const Page = () => (
  <ResourceList
    resource="subscription-movements"
    title="MRR changes"
    path="/subscription-movements"
    exported="/exports/subscription-movements.csv"
    linkOf={({ subscriptionId }) => pathTo("customer-subscriptions", subscriptionId)}
    filters={[
      { name: "kind", label: "Change", options: MOVEMENT_KINDS.map((value) => ({ value, label: MOVEMENTS[value] })) },
      { name: "from", label: "From", day: true },
      { name: "to", label: "To", day: true },
    ]}
    columns={[
      { name: "kind", label: "Change", cell: ({ kind }) => MOVEMENTS[kind] },
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} />,
      },
      { name: "happenedAt", label: "Date", cell: ({ happenedAt }) => <Time at={happenedAt} /> },
      {
        name: "amount",
        label: "MRR change",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No change yet",
      text: "When somebody subscribes, changes their plan or leaves, what subscriptions bring in each month changes, and each change appears here. Subscribe a customer to a plan to see the first.",
      first: { label: "New subscription", permission: "subscriptions:write", to: "/customer-subscriptions/new" },
    }}
  />
);
