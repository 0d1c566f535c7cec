import { Checkbox, Group, Skeleton, Textarea, TextInput } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { CustomerInput } from "../../components/customer-input.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { LINE_CHECK, type Line, LineItems, LineTotal, lineBodies, newLine } from "../../components/line-items.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";

interface Values {
  customerId: string;
  lines: Line[];
  dueDate: string;
  externalReference: string;
  notes: string;
  send: boolean;
}

const bodyOf = ({ customerId, lines, dueDate, externalReference, notes, send }: Values) => ({
  customerId,
  lines: lineBodies(lines),
  dueDate: textOrNull(dueDate),
  externalReference: textOrNull(externalReference),
  notes: textOrNull(notes),
  send,
});

/** The form of a new invoice; `?customer=` in the address chooses the customer. */
export function Page() {
  const { customer } = useLocation().search as { customer?: string };
  const settings = useRecord(["/settings"], () => got(api.GET("/settings")));
  const rate = settings.data?.vatRate ?? 15;
  const inclusive = settings.data?.taxInclusivePrices ?? false;
  const initial: Values = {
    customerId: customer ?? "",
    lines: [newLine(rate)],
    dueDate: "",
    externalReference: "",
    notes: "",
    send: true,
  };
  return (
    <Frame title="New invoice" back={{ label: "Invoices", to: "/invoices" }}>
      {settings.isPending ? (
        <Skeleton height={300} aria-busy="true" aria-label="Loading" />
      ) : (
        <ResourceForm
          initial={initial}
          check={{
            customerId: (value) => (value ? null : "Choose a customer"),
            lines: LINE_CHECK,
          }}
          fields={(form) => <Fields form={form} rate={rate} inclusive={inclusive} />}
          summary={({ lines }) => <LineTotal lines={lines} inclusive={inclusive} />}
          label="Create invoice"
          send={(values, keyFor) => {
            const body = bodyOf(values);
            return got(api.POST("/invoices", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
          }}
          touches={["/invoices", "/customers", "/emails"]}
          said="Invoice created"
          to={({ id }) => pathTo("invoices", id)}
          back="/invoices"
        />
      )}
    </Frame>
  );
}

const Fields = ({
  form,
  rate,
  inclusive,
}: {
  readonly form: FormOf<Values>;
  readonly rate: number;
  readonly inclusive: boolean;
}) => (
  <>
    <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
    <LineItems
      inclusive={inclusive}
      lines={form.values.lines}
      field={(path, options) => form.getInputProps(`lines.${path}`, options)}
      add={() => form.insertListItem("lines", newLine(rate))}
      remove={(index) => form.removeListItem("lines", index)}
    />
    <Group grow align="flex-start">
      <TextInput
        type="date"
        label="Due date"
        description="Left empty, the days of your settings count."
        {...form.getInputProps("dueDate")}
      />
      <TextInput
        label="Your reference"
        description="Optional. From your own system"
        autoComplete="off"
        {...form.getInputProps("externalReference")}
      />
    </Group>
    <Textarea
      label="Notes"
      description="Shown on the invoice"
      autosize
      minRows={2}
      dir="auto"
      {...form.getInputProps("notes")}
    />
    <Checkbox label="Email it to the customer now" {...form.getInputProps("send", { type: "checkbox" })} />
  </>
);
