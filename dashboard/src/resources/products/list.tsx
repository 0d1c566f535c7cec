import { api, got, type Shape } from "../../api/client.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { switching } from "../../components/switching.ts";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { vatInWords } from "../../lib/vat.ts";

const BULK = switching<Shape<"Product">>({
  kind: "product",
  permission: "products:write",
  name: ({ name }) => name,
  disabled: "Nobody can buy them; what was bought stays.",
  enabled: "They can be bought again.",
  set: (id, enabled) => got(api.PATCH("/products/{id}", { params: { path: { id } }, body: { enabled } })),
  touches: ["/products", "/audit-log"],
});

/** The list of products. */
export const Page = () => (
  <ResourceList
    resource="products"
    title="Products"
    path="/products"
    exported="/exports/products.csv"
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
    bulk={BULK}
    empty={{
      title: "No product yet",
      text: "A product has a name and a price. It is sold on a checkout page, by a payment link or on an invoice's line. Create the first one here or by the API.",
    }}
  />
);
