import { Switch } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { useFormDefaults } from "../../api/settings.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { NameFields } from "../../components/name-fields.tsx";
import { PriceFields } from "../../components/price-fields.tsx";
import type { Frequency } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { newPrice, priceOf, type TypedPrice, typedPrice } from "../../lib/price.ts";
import { textOrNull } from "../../lib/values.ts";

interface Values extends TypedPrice {
  name: string;
  description: string;
  frequency: Frequency | "";
  enabled: boolean;
}

const CHECK = {
  name: (value: string) => (value.trim() ? null : "Enter a name"),
  amount: (value: number | string) => (Number(value) > 0 ? null : "Enter a price"),
};

const bodyOf = ({ name, description, frequency, enabled, ...price }: Values, opened?: Shape<"Product">) => ({
  name,
  description: textOrNull(description),
  enabled,
  ...priceOf(price, opened),
  recurring: frequency === "" ? null : { frequency },
});

const valuesOf = ({ recurring, description, ...product }: Shape<"Product">): Values => ({
  name: product.name,
  description: description ?? "",
  ...typedPrice(product),
  frequency: recurring?.frequency ?? "",
  enabled: product.enabled,
});

/** The form of a new product, or of one to be changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

function New() {
  const defaults = useFormDefaults();
  return (
    <Frame title="New product" back={{ label: "Products", to: "/products" }}>
      <Loaded of={defaults}>
        {(current) => (
          <ResourceForm
            initial={{ ...EMPTY, ...newPrice(current) }}
            check={CHECK}
            fields={fields}
            label="Create product"
            send={(values: Values, keyFor: KeyFor) => {
              const body = bodyOf(values);
              return got(api.POST("/products", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
            }}
            touches={["/products"]}
            said="Product created"
            to={({ id }) => pathTo("products", id)}
            back="/products"
          />
        )}
      </Loaded>
    </Frame>
  );
}

const EMPTY: Omit<Values, keyof TypedPrice> = { name: "", description: "", frequency: "", enabled: true };

function Edit({ id }: { readonly id: string }) {
  const path = { path: { id } };
  return (
    <EditPage
      title="Edit product"
      back={{ label: "Product", to: pathTo("products", id) }}
      record={useRecord(["/products", id], () => got(api.GET("/products/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={fields}
      change={(values, edit, product) =>
        got(api.PATCH("/products/{id}", { params: path, body: edit(bodyOf(values, product)) }))
      }
      touches={["/products"]}
      said="Product updated"
    />
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <NameFields form={form} />
    <PriceFields form={form} once />
    <Switch
      label="Enabled"
      description="A disabled product cannot be bought."
      {...form.getInputProps("enabled", { type: "checkbox" })}
    />
  </>
);
