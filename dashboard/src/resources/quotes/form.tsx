import { Checkbox, Group, Skeleton, Textarea } from "@mantine/core";
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
  /** As the discount is typed. */
  deposit: number | string;
  depositIn: TypedDiscount["discountIn"];
  customerId: string;
  lineItems: Line[];
  expiryDate: string;
  notes: string;
  send: boolean;
}

const bodyOf = ({ customerId, lineItems, discount, discountIn, deposit, depositIn, expiryDate, notes }: Values) => ({
  customerId,
  lineItems: lineBodies(lineItems),
  discount: discountOf({ discount, discountIn }),
  deposit: discountOf({ discount: deposit, discountIn: depositIn }),
  expiryDate: textOrNull(expiryDate),
  notes: textOrNull(notes),
});

const typedDeposit = (given: Shape<"Quote">["deposit"]): Pick<Values, "deposit" | "depositIn"> => {
  const { discount, discountIn } = typedDiscount(given);
  return { deposit: discount, depositIn: discountIn };
};

const valuesOf = (quote: Shape<"Quote">): Values => ({
  customerId: quote.customer.id,
  lineItems: quote.lineItems.map(typedLine),
  ...typedDiscount(quote.discount),
  ...typedDeposit(quote.deposit),
  expiryDate: quote.expiryDate ? toDateInput(quote.expiryDate) : "",
  notes: quote.notes ?? "",
  send: false,
});

/** The form of a new quote, or of a draft that is changed; `?customer=` in the address chooses the customer. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

function New() {
  const { customer } = useLocation().search as { customer?: string };
  const settings = useSettings();
  const saidSent = useSaidSent();
  const rate = settings.data?.vatRate ?? 15;
  const inclusive = settings.data?.taxInclusivePrices ?? false;
  const initial: Values = {
    customerId: customer ?? "",
    lineItems: [newLine(rate)],
    ...NO_DISCOUNT,
    ...typedDeposit(undefined),
    expiryDate: "",
    notes: "",
    send: true,
  };
  return (
    <Frame title="New quote" back={{ label: "Quotes", to: "/quotes" }}>
      {settings.isPending ? (
        <Skeleton height={300} aria-busy="true" aria-label="Loading" />
      ) : (
        <ResourceForm
          initial={initial}
          check={CHECK}
          fields={(form) => <Fields form={form} rate={rate} inclusive={inclusive} fresh />}
          summary={(values) => <Total values={values} inclusive={inclusive} />}
          beside={(form) => (
            <DocumentPreview
              record="quote"
              name={["/quotes", "preview"]}
              body={form.isValid() ? bodyOf(form.values) : null}
              read={(body) => got(api.POST("/quotes/preview", { body }))}
            />
          )}
          label="Create quote"
          send={(values, keyFor) => {
            const body = { ...bodyOf(values), send: values.send };
            return got(api.POST("/quotes", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
          }}
          touches={["/quotes", "/emails"]}
          said={({ number, status }) => (status === "draft" ? "Quote created" : saidSent(number))}
          to={(made) => pathTo("quotes", made.id)}
          back="/quotes"
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
      title="Edit quote"
      back={{ label: "Quote", to: pathTo("quotes", id) }}
      record={useRecord(["/quotes", id], () => got(api.GET("/quotes/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={(form, { taxInclusive, currency }) => (
        <Fields form={form} rate={rate} inclusive={taxInclusive} currency={currency} />
      )}
      summary={(values, { taxInclusive, currency }) => (
        <Total values={values} inclusive={taxInclusive} currency={currency} />
      )}
      beside={(form) => (
        <DocumentPreview
          record="quote"
          name={["/quotes", id, "preview"]}
          body={form.isValid() ? bodyOf(form.values) : null}
          read={(body) => got(api.POST("/quotes/{id}/preview", { params: path, body }))}
        />
      )}
      change={(values, edit) => got(api.PATCH("/quotes/{id}", { params: path, body: edit(bodyOf(values)) }))}
      touches={["/quotes"]}
      said="Quote updated"
    />
  );
}

const CHECK = {
  customerId: (value: string) => (value ? null : "Choose who it is for."),
  lineItems: lineCheck("lineItems"),
  discount: (value: number | string, { discountIn }: Values) => discountFault(value, discountIn),
  deposit: (value: number | string, { depositIn }: Values) => discountFault(value, depositIn, "a deposit"),
};

const Total = ({
  values: { lineItems, discount, discountIn },
  inclusive,
  currency = "ZAR",
}: {
  readonly values: Values;
  readonly inclusive: boolean;
  readonly currency?: string;
}) => <LineTotal lines={lineItems} discount={{ discount, discountIn }} inclusive={inclusive} currency={currency} />;

const Fields = ({
  form,
  rate,
  inclusive,
  currency = "ZAR",
  fresh = false,
}: {
  readonly form: FormOf<Values>;
  readonly rate: number;
  readonly inclusive: boolean;
  readonly currency?: string;
  readonly fresh?: boolean;
}) => (
  <>
    <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
    <LineItems
      inclusive={inclusive}
      rate={rate}
      currency={currency}
      lines={form.values.lineItems}
      field={(path, options) => form.getInputProps(`lineItems.${path}`, options)}
      add={() => form.insertListItem("lineItems", newLine(rate))}
      put={(line) => form.setFieldValue("lineItems", [...form.values.lineItems.filter(isFilled), line])}
      remove={(index) => form.removeListItem("lineItems", index)}
    />
    <Group grow align="flex-start">
      <DiscountInput
        label="Discount on the whole quote"
        about="Discount on the whole quote"
        currency={currency}
        field={(name) => form.getInputProps(name)}
      />
      <DiscountInput
        label="Deposit"
        about="Deposit"
        description="Optional. Of the total, to be paid first"
        currency={currency}
        field={(name) => form.getInputProps(name.replace("discount", "deposit"))}
      />
    </Group>
    <DateInput
      label="Valid until"
      description="The last day on which it can be accepted."
      maw={300}
      {...form.getInputProps("expiryDate")}
    />
    <Textarea
      label="Notes"
      description="Printed on the quote."
      autosize
      minRows={2}
      dir="auto"
      {...form.getInputProps("notes")}
    />
    {fresh && <Checkbox label="Email it to the customer now" {...form.getInputProps("send", { type: "checkbox" })} />}
  </>
);
