import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage } from "../../components/resource-page.tsx";
import { Money, Time, Words } from "../../components/values.tsx";
import { oftenInWords } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { priceVatInWords } from "../../lib/vat.ts";

type Product = Shape<"Product">;

/** The page of a product. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const params = { path: { id } };
  const product = useRecord(["/products", id], () => got(api.GET("/products/{id}", { params })));
  return (
    <ResourcePage
      resource="products"
      list="Products"
      record={product}
      show={(record) => ({
        title: record.name,
        name: record.name,
        id: record.id,
        status: record.enabled ? "enabled" : "disabled",
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: (
          <>
            <Permitted to="products:write">
              <ButtonLink to={`${pathTo("products", id)}/edit`} variant="default">
                Edit
              </ButtonLink>
            </Permitted>
            <DeleteAction
              name={record.name}
              permission="products:write"
              what="Nothing can be bought of it again. A product that a payment link, checkout, mandate or coupon uses stays; disable it instead."
              send={() => got(api.DELETE("/products/{id}", { params }))}
              touches={["/products"]}
              to="/products"
            />
          </>
        ),
      })}
    />
  );
}

const facts = (product: Product) =>
  [
    ["Billed", oftenInWords(product.recurring)],
    ["VAT", priceVatInWords(product)],
    ["Description", <Words key="description" of={product.description} />],
    ["Created", <Time key="made" at={product.createdAt} />],
    ["Last updated", <Time key="changed" at={product.updatedAt} />],
  ] as const;
