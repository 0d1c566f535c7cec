import { Group, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { editing, type FormOf, MoneyInput, ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { NameFields } from "../../components/name-fields.tsx";
import { VatFields } from "../../components/vat-fields.tsx";
import { FREQUENCIES, type Frequency } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";
import { type TypedVat, vatOf } from "../../lib/vat.ts";

interface Values extends TypedVat {
  name: string;
  description: string;
  amount: number | string;
  currency: string;
  taxInclusive: boolean;
  frequency: Frequency | "";
  enabled: boolean;
}

const CHECK = {
  name: (value: string) => (value.trim() ? null : "Give it a name."),
  amount: (value: number | string) => (Number(value) > 0 ? null : "Give its price."),
};

const bodyOf = ({ frequency, taxRate, taxExempt, ...values }: Values, opened?: Shape<"Product">) => ({
  ...values,
  description: textOrNull(values.description),
  amount: Number(values.amount),
  ...vatOf({ taxRate, taxExempt }, opened),
  recurring: frequency === "" ? null : { frequency },
});

const valuesOf = ({ recurring, description, ...product }: Shape<"Product">): Values => ({
  name: product.name,
  description: description ?? "",
  amount: product.amount,
  currency: product.currency,
  taxRate: product.taxRate,
  taxExempt: product.taxExempt ?? false,
  taxInclusive: product.taxInclusive,
  frequency: recurring?.frequency ?? "",
  enabled: product.enabled,
});

/** The form of a new product, or of one to be changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

function New() {
  const settings = useRecord(["/settings"], () => got(api.GET("/settings")));
  return (
    <Frame title="New product" back={{ label: "Products", to: "/products" }}>
      <Loaded of={settings}>
        {({ vatRate, taxInclusivePrices }) => (
          <ResourceForm
            initial={{ ...EMPTY, taxRate: vatRate, taxInclusive: taxInclusivePrices }}
            check={CHECK}
            fields={fields}
            label="Make the product"
            send={(values: Values, keyFor: KeyFor) => {
              const body = bodyOf(values);
              return got(api.POST("/products", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
            }}
            touches={["/products"]}
            said="The product is made."
            to={({ id }) => pathTo("products", id)}
            back="/products"
          />
        )}
      </Loaded>
    </Frame>
  );
}

const EMPTY: Values = {
  name: "",
  description: "",
  amount: "",
  currency: "ZAR",
  taxRate: 15,
  taxExempt: false,
  taxInclusive: false,
  frequency: "",
  enabled: true,
};

function Edit({ id }: { readonly id: string }) {
  const product = useRecord(["/products", id], () => got(api.GET("/products/{id}", { params: { path: { id } } })));
  return (
    <Frame title="Change a product" back={{ label: "Product", to: pathTo("products", id) }}>
      <Loaded of={product}>
        {(record) => (
          <ResourceForm
            initial={valuesOf(record)}
            edits={editing(record, valuesOf)}
            check={CHECK}
            fields={fields}
            label="Save"
            send={(values: Values, _keyFor, edit) =>
              got(api.PATCH("/products/{id}", { params: { path: { id } }, body: edit(bodyOf(values, record)) }))
            }
            touches={["/products"]}
            said="The product is changed."
            to={() => pathTo("products", id)}
            back={pathTo("products", id)}
          />
        )}
      </Loaded>
    </Frame>
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <NameFields form={form} />
    <Group grow align="flex-start">
      <MoneyInput label="Price" withAsterisk currency={form.values.currency} {...form.getInputProps("amount")} />
      <TextInput label="Currency" maxLength={3} autoComplete="off" {...form.getInputProps("currency")} />
      <VatFields
        exempt={form.values.taxExempt}
        rate={form.getInputProps("taxRate")}
        mark={form.getInputProps("taxExempt", { type: "checkbox" })}
      />
    </Group>
    <Switch label="The price includes VAT" {...form.getInputProps("taxInclusive", { type: "checkbox" })} />
    <NativeSelect
      label="Billed"
      data={[{ value: "", label: "Once" }, ...FREQUENCIES]}
      {...form.getInputProps("frequency")}
    />
    <Switch
      label="Enabled"
      description="A disabled product cannot be bought."
      {...form.getInputProps("enabled", { type: "checkbox" })}
    />
  </>
);
