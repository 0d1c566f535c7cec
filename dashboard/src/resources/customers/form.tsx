import { Group, NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";

const EMPTY = {
  company: "",
  firstName: "",
  lastName: "",
  email: "",
  phone: "",
  vatNumber: "",
  address: "",
  externalReference: "",
  active: true,
  /** What becomes of what runs of a customer who is deactivated; empty: not chosen. */
  onActive: "" as "" | "pause" | "cancel" | "keep",
};
type Values = typeof EMPTY;

/** Empty fields are left out. */
const bodyOf = ({ active, onActive, ...texts }: Values) => ({
  ...(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, textOrNull(text)])) as {
    [Name in keyof typeof texts]: string | null;
  }),
  active,
  ...(!active && onActive !== "" && { onActive }),
});

const valuesOf = (customer: Shape<"Customer">): Values => ({
  company: customer.company ?? "",
  firstName: customer.firstName ?? "",
  lastName: customer.lastName ?? "",
  email: customer.email ?? "",
  phone: customer.phone ?? "",
  vatNumber: customer.vatNumber ?? "",
  address: customer.address ?? "",
  externalReference: customer.externalReference ?? "",
  active: customer.active,
  onActive: "",
});

/**
 * A name or an address to write to, so that the customer can be told apart and reached; a South African VAT number has
 * 10 digits, of which the first is 4. A foreign one has letters.
 */
const CHECK = {
  company: (_: string, { company, firstName, lastName, email }: Values) =>
    [company, firstName, lastName, email].some((text) => text.trim() !== "")
      ? null
      : "Enter a company, a name or an email address",
  vatNumber: (given: string) => {
    const number = given.replaceAll(/\s/g, "");
    return /^\d+$/.test(number) && !/^4\d{9}$/.test(number) ? "Enter 10 digits, beginning with 4" : null;
  },
};

/** The form of a new customer, or of one to be changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

function New() {
  return (
    <Frame title="New customer" back={{ label: "Customers", to: "/customers" }}>
      <ResourceForm
        initial={EMPTY}
        check={CHECK}
        fields={fields}
        label="Create customer"
        send={(values: Values, keyFor: KeyFor) => {
          const body = bodyOf(values);
          return got(api.POST("/customers", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
        }}
        touches={["/customers"]}
        said="Customer created"
        to={({ id }) => pathTo("customers", id)}
        back="/customers"
      />
    </Frame>
  );
}

function Edit({ id }: { readonly id: string }) {
  const path = { path: { id } };
  return (
    <EditPage
      title="Edit customer"
      back={{ label: "Customer", to: pathTo("customers", id) }}
      record={useRecord(["/customers", id], () => got(api.GET("/customers/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={fields}
      change={(values, edit) => got(api.PATCH("/customers/{id}", { params: path, body: edit(bodyOf(values)) }))}
      touches={["/customers"]}
      said="Customer updated"
    />
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <TextInput label="Company" autoComplete="off" dir="auto" {...form.getInputProps("company")} />
    <Group grow align="flex-start">
      <TextInput label="First name" autoComplete="off" dir="auto" {...form.getInputProps("firstName")} />
      <TextInput label="Last name" autoComplete="off" dir="auto" {...form.getInputProps("lastName")} />
    </Group>
    <Group grow align="flex-start">
      <TextInput label="Email address" type="email" autoComplete="off" {...form.getInputProps("email")} />
      <TextInput label="Phone" type="tel" autoComplete="off" {...form.getInputProps("phone")} />
    </Group>
    <TextInput label="VAT number" autoComplete="off" {...form.getInputProps("vatNumber")} />
    <Textarea label="Address" autosize minRows={3} dir="auto" {...form.getInputProps("address")} />
    <TextInput
      label="Your reference"
      description="What your own system calls this customer. It is unique."
      autoComplete="off"
      {...form.getInputProps("externalReference")}
    />
    <Switch label="Active" {...form.getInputProps("active", { type: "checkbox" })} />
    {!form.values.active && (
      <NativeSelect
        label="Running subscriptions and mandates"
        description="Nothing new is created for an inactive customer."
        data={[
          { value: "", label: "Choose, if any are running" },
          { value: "pause", label: "Pause them" },
          { value: "cancel", label: "Cancel them now" },
          { value: "keep", label: "Keep them running" },
        ]}
        {...form.getInputProps("onActive")}
      />
    )}
  </>
);
