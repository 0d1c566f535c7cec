import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { vatInWords } from "../../lib/vat.ts";

/** The list of products. */
export const Page = () => (
  <ResourceList
    resource="products"
    title="Products"
    path="/products"
    create={{ label: "New product", permission: "products:write", to: "/products/new" }}
    columns={[
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      { name: "description", label: "Description", cell: ({ description }) => <Words of={description} />, extra: true },
      { name: "enabled", label: "Status", cell: ({ enabled }) => <Status of={enabled ? "enabled" : "disabled"} /> },
      {
        name: "recurring",
        label: "Billed",
        cell: ({ recurring }) => oftenInWords(recurring),
      },
      {
        name: "amount",
        label: "Price",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { name: "taxRate", label: "VAT", figures: true, cell: vatInWords },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day />, extra: true },
    ]}
    empty={{
      title: "No product yet",
      text: "A product has a name and a price. It is sold on a checkout page, by a payment link or on an invoice's line. Make the first one here or by the API.",
    }}
  />
);
