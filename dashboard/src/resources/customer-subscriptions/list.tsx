import { ButtonLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { BULK } from "./bulk.ts";
import { COLLECTIONS } from "./words.ts";

const STATUSES = ["scheduled", "pending", "trialing", "active", "past_due", "paused", "cancelled", "expired"] as const;

const VIEWS = [
  { label: "Active", filters: { status: "active" } },
  { label: "Trial", filters: { status: "trialing" } },
  { label: "Past due", filters: { status: "past_due" } },
  { label: "Card expiring", filters: { cardExpiring: "true" } },
  { label: "Paused", filters: { status: "paused" } },
];

/** The list of customer subscriptions. */
export const Page = () => (
  <ResourceList
    resource="customer-subscriptions"
    title="Subscriptions"
    path="/customer-subscriptions"
    exported="/exports/customer-subscriptions.csv"
    create={{ label: "New subscription", permission: "subscriptions:write", to: "/customer-subscriptions/new" }}
    actions={<Actions />}
    views={VIEWS}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      {
        name: "collectionMethod",
        label: "Payment method",
        options: Object.entries(COLLECTIONS).map(([value, label]) => ({ value, label })),
      },
      { name: "externalReference", label: "Your reference" },
    ]}
    columns={[
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer }) => <RecordName id={customer.id} />,
      },
      { name: "plan", label: "Plan", cell: ({ plan }) => <Words of={plan.name} /> },
      { name: "package", label: "Package", cell: ({ plan }) => <Words of={plan.packageName} />, extra: true },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      {
        name: "collectionMethod",
        label: "Payment method",
        cell: ({ collectionMethod }) => COLLECTIONS[collectionMethod],
      },
      { name: "nextBillingAt", label: "Next invoice", cell: ({ nextBillingAt }) => <Time at={nextBillingAt} day /> },
      { name: "quantity", label: "Quantity", figures: true, cell: ({ quantity }) => quantity, extra: true },
      {
        name: "externalReference",
        label: "Your reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
        extra: true,
      },
      {
        name: "amount",
        label: "Price",
        figures: true,
        cell: ({ amount, currency, billingPeriod }) => (
          <span>
            <Money amount={amount} currency={currency} /> {per(billingPeriod)}
          </span>
        ),
      },
    ]}
    totals={{ mrr: "Monthly recurring revenue" }}
    bulk={BULK}
    empty={{
      title: "Nobody has subscribed yet",
      text: "A subscription bills a customer for a plan each period, by card, debit order or invoice. Create a package with a plan first; then subscribe a customer here, by the API, or let customers do it on the package's checkout page.",
    }}
  />
);

const Actions = () => (
  <>
    <ButtonLink to="/subscriptions/migrations" variant="default">
      Migrations
    </ButtonLink>
    <Permitted to="subscriptions:write">
      <ButtonLink to="/customer-subscriptions/import" variant="default">
        Import
      </ButtonLink>
    </Permitted>
  </>
);
