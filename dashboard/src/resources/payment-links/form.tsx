import { Checkbox, Group, Textarea, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { type FormOf, MoneyInput, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { FrequencyInput } from "../../components/price-fields.tsx";
import { IncludedVatSelect } from "../../components/vat-fields.tsx";
import type { Frequency } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";
import { type IncludedVat, includedVatOf } from "../../lib/vat.ts";

interface Values {
  title: string;
  amount: number | string;
  description: string;
  frequency: "" | Frequency;
  vat: IncludedVat;
  singleUse: boolean;
  customerEmail: string;
  externalReference: string;
}

const EMPTY: Values = {
  title: "",
  amount: "",
  description: "",
  frequency: "",
  vat: "",
  singleUse: true,
  customerEmail: "",
  externalReference: "",
};

const bodyOf = (values: Values) => ({
  title: values.title,
  amount: Number(values.amount),
  description: textOrNull(values.description),
  recurring: values.frequency === "" ? null : { frequency: values.frequency },
  ...includedVatOf(values.vat),
  singleUse: values.singleUse,
  customerEmail: textOrNull(values.customerEmail),
  externalReference: textOrNull(values.externalReference),
});

/** The form of a new payment link. */
export const Page = () => (
  <Frame title="New payment link" back={{ label: "Payment links", to: "/payment-links" }}>
    <ResourceForm
      initial={EMPTY}
      check={{
        title: (value) => (value.trim() ? null : "Say what is paid for."),
        amount: (value) => (Number(value) > 0 ? null : "Enter an amount"),
      }}
      fields={(form) => <Fields form={form} />}
      label="Create link"
      send={(values, keyFor) => {
        const body = bodyOf(values);
        return got(api.POST("/payment-links", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={["/payment-links"]}
      said="Payment link created"
      to={({ id }) => pathTo("payment-links", id)}
      back="/payment-links"
    />
  </Frame>
);

const Fields = ({ form }: { readonly form: FormOf<Values> }) => (
  <>
    <TextInput
      label="Title"
      description="Customers read it on the page."
      withAsterisk
      dir="auto"
      {...form.getInputProps("title")}
    />
    <Group grow align="flex-start">
      <MoneyInput label="Amount" withAsterisk {...form.getInputProps("amount")} />
      <FrequencyInput label="Charged" once {...form.getInputProps("frequency")} />
      <IncludedVatSelect {...form.getInputProps("vat")} />
    </Group>
    <Textarea label="Description" autosize minRows={2} dir="auto" {...form.getInputProps("description")} />
    <Group grow align="flex-start">
      <TextInput
        type="email"
        label="Customer's email address"
        description="Left empty, they are asked for it."
        autoComplete="off"
        {...form.getInputProps("customerEmail")}
      />
      <TextInput
        label="Your reference"
        description="Optional. From your own system"
        autoComplete="off"
        {...form.getInputProps("externalReference")}
      />
    </Group>
    <Checkbox
      label="Only one customer can pay it"
      description="It closes once it is paid. Untick this for a link that any number of people pay, such as for tickets or donations."
      {...form.getInputProps("singleUse", { type: "checkbox" })}
    />
  </>
);
