import { Checkbox, Group, Skeleton, Textarea, TextInput } from "@mantine/core";
import { useLocation, useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useSaidSent } from "../../api/session.ts";
import { useSettings } from "../../api/settings.ts";
import { CustomerInput } from "../../components/customer-input.tsx";
import { DateInput } from "../../components/date-input.tsx";
import { DiscountInput } from "../../components/discount-input.tsx";
import { DocumentPreview } from "../../components/document-preview.tsx";
import { EditPage } from "../../components/edit-page.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import {
  discountFault,
  isFilled,
  type Line,
  LineItems,
  LineTotal,
  lineBodies,
  lineCheck,
  newLine,
  typedLine,
} from "../../components/line-items.tsx";
import { discountOf, NO_DISCOUNT, type TypedDiscount, typedDiscount } from "../../lib/document-totals.ts";
import { pathTo } from "../../lib/paths.ts";
import { toDateInput } from "../../lib/time.ts";
import { textOrNull } from "../../lib/values.ts";

interface Values extends TypedDiscount {
  customerId: string;
  lines: Line[];
  issueDate: string;
  dueDate: string;
  externalReference: string;
  notes: string;
  send: boolean;
}

const bodyOf = ({ customerId, lines, discount, discountIn, issueDate, dueDate, externalReference, notes }: Values) => ({
  customerId,
  lines: lineBodies(lines),
  discount: discountOf({ discount, discountIn }),
  ...(issueDate && { issueDate }),
  dueDate: textOrNull(dueDate),
  externalReference: textOrNull(externalReference),
  notes: textOrNull(notes),
});

/** A change of a draft; of one that bills a subscription the customer, lines and discount stay. */
function changeOf(values: Values, { charge }: Shape<"Invoice">) {
  const { dueDate, externalReference, notes, ...rest } = bodyOf(values);
  const open = { dueDate, externalReference, notes };
  return charge === undefined ? { ...rest, ...open } : open;
}

const valuesOf = (invoice: Shape<"Invoice">): Values => ({
  customerId: invoice.customer.id,
  lines: invoice.lines.map(typedLine),
  ...typedDiscount(invoice.discount),
  issueDate: toDateInput(invoice.issueDate),
  dueDate: invoice.dueDate ? toDateInput(invoice.dueDate) : "",
  externalReference: invoice.externalReference ?? "",
  notes: invoice.notes ?? "",
  send: false,
});

/** The form of a new invoice, or of a draft that is changed; `?customer=` in the address chooses the customer. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

function New() {
  const { customer } = useLocation().search as { customer?: string };
  const settings = useSettings();
  const saidSent = useSaidSent();
  const rate = settings.data?.vatRate ?? 15;
  const initial: Values = {
    customerId: customer ?? "",
    lines: [newLine(rate)],
    ...NO_DISCOUNT,
    issueDate: "",
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
          check={CHECK}
          fields={(form) => <Fields form={form} rate={rate} fresh />}
          summary={(values) => <Total values={values} />}
          beside={(form) => (
            <DocumentPreview
              record="invoice"
              name={["/invoices", "preview"]}
              body={form.isValid() ? bodyOf(form.values) : null}
              read={(body) => got(api.POST("/invoices/preview", { body }))}
            />
          )}
          label="Create invoice"
          send={(values, keyFor) => {
            const body = { ...bodyOf(values), send: values.send };
            return got(api.POST("/invoices", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
          }}
          touches={["/invoices", "/customers", "/emails"]}
          said={({ number, status }) => (status === "draft" ? "Invoice created" : saidSent(number))}
          to={({ id }) => pathTo("invoices", id)}
          back="/invoices"
        />
      )}
    </Frame>
  );
}

function Edit({ id }: { readonly id: string }) {
  const rate = useSettings().data?.vatRate ?? 15;
  const path = { path: { id } };
  return (
    <EditPage
      title="Edit invoice"
      back={{ label: "Invoice", to: pathTo("invoices", id) }}
      record={useRecord(["/invoices", id], () => got(api.GET("/invoices/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={(form, { currency, charge }) => (
        <Fields form={form} rate={rate} currency={currency} billed={charge !== undefined} />
      )}
      summary={(values, { currency }) => <Total values={values} currency={currency} />}
      beside={(form, opened) => (
        <DocumentPreview
          record="invoice"
          name={["/invoices", id, "preview"]}
          body={form.isValid() ? changeOf(form.values, opened) : null}
          read={(body) => got(api.POST("/invoices/{id}/preview", { params: path, body }))}
        />
      )}
      change={(values, edit, opened) =>
        got(api.PATCH("/invoices/{id}", { params: path, body: edit(changeOf(values, opened)) }))
      }
      touches={["/invoices", "/customers", "/payment-links"]}
      said="Invoice updated"
    />
  );
}

const CHECK = {
  customerId: (value: string) => (value ? null : "Choose a customer"),
  lines: lineCheck("lines"),
  discount: (value: number | string, { discountIn }: Values) => discountFault(value, discountIn),
};

const Total = ({
  values: { lines, discount, discountIn },
  currency = "ZAR",
}: {
  readonly values: Values;
  readonly currency?: string;
}) => <LineTotal lines={lines} discount={{ discount, discountIn }} inclusive={false} currency={currency} />;

const Fields = ({
  form,
  rate,
  currency = "ZAR",
  fresh = false,
  billed = false,
}: {
  readonly form: FormOf<Values>;
  readonly rate: number;
  readonly currency?: string;
  readonly fresh?: boolean;
  /** Whether a subscription bills it: then its customer and its lines stay. */
  readonly billed?: boolean;
}) => (
  <>
    {!billed && (
      <>
        <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
        <LineItems
          inclusive={false}
          rate={rate}
          currency={currency}
          lines={form.values.lines}
          field={(path, options) => form.getInputProps(`lines.${path}`, options)}
          add={() => form.insertListItem("lines", newLine(rate))}
          put={(line) => form.setFieldValue("lines", [...form.values.lines.filter(isFilled), line])}
          remove={(index) => form.removeListItem("lines", index)}
        />
        <div className="tefo-short">
          <DiscountInput
            label="Discount on the whole invoice"
            about="Discount on the whole invoice"
            currency={currency}
            field={(name) => form.getInputProps(name)}
          />
        </div>
      </>
    )}
    <Group grow align="flex-start">
      {!billed && (
        <DateInput
          label="Invoice date"
          {...(fresh && { description: "Left empty, it is today's." })}
          {...form.getInputProps("issueDate")}
        />
      )}
      <DateInput
        label="Due date"
        {...(fresh && { description: "Left empty, the days of your settings count." })}
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
    {fresh && <Checkbox label="Email it to the customer now" {...form.getInputProps("send", { type: "checkbox" })} />}
  </>
);
