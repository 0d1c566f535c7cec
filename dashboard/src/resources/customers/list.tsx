import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { customerName } from "../../lib/customer-name.ts";
import { counted } from "../../lib/words.ts";

const activity = (label: string, active: boolean, what: string): BulkAction<Shape<"Customer">> => ({
  label,
  permission: "customers:write",
  name: customerName,
  applies: (customer) => customer.active !== active,
  what: (chosen) =>
    `${counted(chosen.length, "customer becomes", "customers become")} ${active ? "active" : "inactive"}. ${what}`,
  run: ({ id }) => got(api.PATCH("/customers/{id}", { params: { path: { id } }, body: { active } })),
  touches: ["/customers", "/audit-log"],
});

const BULK = [
  activity(
    "Deactivate",
    false,
    "Nothing new is created for them, and their saved cards are not charged. Those with running subscriptions or mandates are refused: change them one by one, and say what becomes of these.",
  ),
  activity("Activate", true, "Their saved cards are charged again, and they can check out."),
];

/** The list of customers. */
export const Page = () => (
  <ResourceList
    resource="customers"
    title="Customers"
    path="/customers"
    exported="/exports/customers.csv"
    create={{ label: "New customer", permission: "customers:write", to: "/customers/new" }}
    filters={[
      { name: "email", label: "Email address" },
      { name: "externalReference", label: "Your reference" },
    ]}
    columns={[
      { name: "name", label: "Name", cell: (customer) => <Words of={customerName(customer)} /> },
      { name: "email", label: "Email address", cell: ({ email }) => <Words of={email} /> },
      { name: "accountCode", label: "Account code", cell: ({ accountCode }) => accountCode },
      {
        name: "externalReference",
        label: "Your reference",
        cell: (customer) => <Words of={customer.externalReference} />,
        extra: true,
      },
      { name: "phone", label: "Phone", cell: ({ phone }) => <Words of={phone} />, extra: true },
      { name: "active", label: "Status", cell: ({ active }) => <Status of={active ? "active" : "inactive"} /> },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
    ]}
    totals={{ balance: "Outstanding", credit: "Credit" }}
    bulk={BULK}
    empty={{
      title: "No customers yet",
      text: "A customer is a person or company that pays you: invoices, subscriptions and debit orders are created for them. Create the first one here, or by the API.",
    }}
  />
);
