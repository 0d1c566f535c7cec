import { Checkbox, TextInput } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { api, got } from "../../api/client.ts";
import type { KeyFor } from "../../api/records.ts";
import { CustomerInput } from "../../components/customer-input.tsx";
import { type FormOf, MoneyInput, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";

interface Values {
  customerId: string;
  amount: number | string;
  description: string;
  externalReference: string;
  notifyPayer: boolean;
}

const bodyOf = ({ customerId, amount, description, externalReference, notifyPayer }: Values) => ({
  customer: customerId ? { id: customerId } : null,
  amount: Number(amount),
  description: textOrNull(description),
  externalReference: textOrNull(externalReference),
  notifyPayer,
});

/** The form of a new bank transfer. */
export function Page() {
  const { customer } = useLocation().search as { customer?: string };
  const initial: Values = {
    customerId: customer ?? "",
    amount: "",
    description: "",
    externalReference: "",
    notifyPayer: false,
  };
  return (
    <Frame title="New EFT payment" back={{ label: "EFT payments", to: "/eft-orders" }}>
      <ResourceForm
        initial={initial}
        check={{ amount: (value: number | string) => (Number(value) > 0 ? null : "Enter the amount") }}
        fields={fields}
        label="Request EFT"
        send={(values: Values, keyFor: KeyFor) => {
          const body = bodyOf(values);
          return got(api.POST("/eft-orders", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
        }}
        touches={["/eft-orders", "/transactions", "/emails"]}
        said="EFT requested. Give the customer its link"
        to={({ id }) => pathTo("eft-orders", id)}
        back="/eft-orders"
      />
    </Frame>
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <MoneyInput label="Amount" withAsterisk {...form.getInputProps("amount")} />
    <TextInput
      label="Description"
      description="The customer sees it."
      dir="auto"
      autoComplete="off"
      maxLength={255}
      {...form.getInputProps("description")}
    />
    <CustomerInput label="Customer" {...form.getInputProps("customerId")} />
    <TextInput
      label="Your reference"
      description="What your own system calls it. An open one with the same reference is used again."
      autoComplete="off"
      {...form.getInputProps("externalReference")}
    />
    <Checkbox
      label="Email the customer the bank details"
      {...form.getInputProps("notifyPayer", { type: "checkbox" })}
    />
  </>
);
