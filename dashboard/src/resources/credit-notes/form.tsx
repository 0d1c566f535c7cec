import { Alert, Textarea } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useFormDefaults } from "../../api/settings.ts";
import { CustomerInput } from "../../components/customer-input.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { Money, RecordName } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";
import { type TypedVat, vatOf } from "../../lib/vat.ts";
import { type CreditLine, CreditLines } from "./lines.tsx";
import { type Credit, outcomeOf, totalOf } from "./outcome.ts";

type Invoice = Shape<"Invoice">;

interface Values {
  customerId: string;
  lines: CreditLine[];
  reason: string;
}

const newLine = (vat: TypedVat): CreditLine => ({ description: "", amount: "", ...vat });

/** The lines of the corrected invoice, each with a field for the amount to credit. */
const linesOf = ({ lines, currency }: Invoice): CreditLine[] =>
  lines.map(({ description, amount, taxRate, taxExempt = false }) => ({
    description: description.slice(0, 1000),
    amount: "",
    taxRate,
    taxExempt,
    charged: formatMoney(Math.round(amount * (100 + taxRate)) / 100, currency),
  }));

/** Lines without an amount are left out. */
const bodyOf = ({ customerId, lines, reason }: Values, invoice: Invoice | null) => ({
  ...(invoice ? { invoiceId: invoice.id } : { customerId }),
  lines: lines
    .filter(({ amount }) => Number(amount) > 0)
    .map(({ description, amount, ...vat }) => ({
      description: textOrNull(description),
      amount: Number(amount),
      ...vatOf(vat),
    })),
  reason: reason.trim(),
});

/** The form of a new credit note; `?invoice=` in the address names the invoice that it corrects, `?customer=` chooses the customer. */
export function Page() {
  const { customer, invoice } = useLocation().search as { customer?: string; invoice?: string };
  return (
    <Frame title="New credit note" back={{ label: "Credit notes", to: "/credit-notes" }}>
      {invoice === undefined ? <ForCustomer id={customer ?? ""} /> : <ForInvoice id={invoice} />}
    </Frame>
  );
}

function ForCustomer({ id }: { readonly id: string }) {
  const defaults = useFormDefaults();
  return (
    <Loaded of={defaults}>
      {({ vatRate }) => {
        const vat = { taxRate: vatRate, taxExempt: false };
        return <Form invoice={null} initial={{ customerId: id, lines: [newLine(vat)], reason: "" }} vat={vat} />;
      }}
    </Loaded>
  );
}

function ForInvoice({ id }: { readonly id: string }) {
  const invoice = useRecord(["/invoices", id], () => got(api.GET("/invoices/{id}", { params: { path: { id } } })));
  return (
    <Loaded of={invoice}>
      {(record) => (
        <Form
          invoice={record}
          initial={{ customerId: record.customer.id, lines: linesOf(record), reason: "" }}
          vat={{ taxRate: record.lines[0]?.taxRate ?? 0, taxExempt: record.lines[0]?.taxExempt ?? false }}
        />
      )}
    </Loaded>
  );
}

interface FormProps {
  readonly invoice: Invoice | null;
  readonly initial: Values;
  /** For a line that is added. */
  readonly vat: TypedVat;
}

const Form = ({ invoice, initial, vat }: FormProps) => (
  <ResourceForm
    initial={initial}
    check={{
      customerId: (value) => (value ? null : "Choose the customer who is credited."),
      lines: {
        amount: (_value, { lines }, path) =>
          path === "lines.0.amount" && !(totalOf(lines.map(({ amount }) => amount)) > 0)
            ? "Say how much is taken back."
            : null,
      },
      reason: (value) => (value.trim() ? null : "Say why: it is printed on the credit note."),
    }}
    fields={(form) => <Fields form={form} invoice={invoice} vat={vat} />}
    summary={({ lines }) => (
      <output>
        <span className="tefo-quiet">Credit with VAT</span>
        <div className="tefo-figure">
          <Money amount={totalOf(lines.map(({ amount }) => amount))} currency={invoice?.currency ?? "ZAR"} />
        </div>
      </output>
    )}
    label="Issue credit note"
    send={(values, keyFor) => {
      const body = bodyOf(values, invoice);
      return got(api.POST("/credit-notes", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
    }}
    touches={["/credit-notes", "/invoices", "/customers", "/audit-log"]}
    said="Credit note issued"
    to={({ id }) => pathTo("credit-notes", id)}
    back={invoice ? pathTo("invoices", invoice.id) : "/credit-notes"}
  />
);

const Fields = ({ form, invoice, vat }: Pick<FormProps, "invoice" | "vat"> & { readonly form: FormOf<Values> }) => (
  <>
    {invoice ? (
      <p className="tefo-reason">
        It corrects {invoice.number} of <RecordName id={invoice.customer.id} /> over{" "}
        <Money amount={invoice.total} currency={invoice.currency} />.
      </p>
    ) : (
      <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
    )}
    <CreditLines
      lines={form.values.lines}
      currency={invoice?.currency ?? "ZAR"}
      field={(path, options) => form.getInputProps(`lines.${path}`, options)}
      add={() => form.insertListItem("lines", newLine(vat))}
      remove={(index) => form.removeListItem("lines", index)}
    />
    <Textarea
      label="Reason"
      description="Printed on the credit note."
      withAsterisk
      autosize
      minRows={2}
      maxLength={500}
      dir="auto"
      {...form.getInputProps("reason")}
    />
    <Outcome
      customer={form.values.customerId}
      credit={{
        amount: totalOf(form.values.lines.map(({ amount }) => amount)),
        currency: invoice?.currency ?? "ZAR",
        corrects: invoice?.id ?? null,
      }}
    />
  </>
);

/** The effect of issuing the note with the present input. */
function Outcome({ customer, credit }: { customer: string; credit: Credit }) {
  const { currency } = credit;
  const open = useList("/invoices", { customerId: customer, owing: "open", currency, limit: "100" }, customer !== "");
  if (customer === "") return null;
  return (
    <Alert color="gray" title="What will happen" aria-live="polite">
      {open.isPending
        ? "Reading what the customer owes …"
        : outcomeOf(credit, open.data?.data ?? [], open.isSuccess && !open.data.hasMore).map((sentence) => (
            <div key={sentence}>{sentence}</div>
          ))}
    </Alert>
  );
}
