import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DocumentLines } from "../../components/document-lines.tsx";
import { FileButton } from "../../components/file.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";

type Invoice = Shape<"Invoice">;

/** The page of an invoice. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const invoice = useRecord(["/invoices", id], () => got(api.GET("/invoices/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="invoices"
      list="Invoices"
      record={invoice}
      show={(record) => ({
        title: record.number,
        name: record.number,
        id: record.id,
        status: record.status,
        figure: <Money amount={record.total} currency={record.currency} />,
        facts: facts(record),
        actions: (
          <>
            <FileButton path={`/invoices/${id}/pdf`}>PDF</FileButton>
            <Actions invoice={record} />
          </>
        ),
        sections: (
          <>
            <DocumentLines lines={record.lines} of={record} />
            <Payments invoice={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (invoice: Invoice) =>
  [
    ["Customer", <IdLink key="customer" id={invoice.customer.id} />],
    // Nothing is owed on a cancelled invoice.
    [
      "Balance due",
      invoice.status !== "cancelled" && <Money key="due" amount={invoice.amountDue} currency={invoice.currency} />,
    ],
    ["Paid", <Money key="paid" amount={invoice.amountPaid} currency={invoice.currency} />],
    ["Issued", <Time key="issued" at={invoice.issueDate} day />],
    ["Due", <Time key="dueDate" at={invoice.dueDate} day />],
    ["Paid at", <Time key="paidAt" at={invoice.paidAt} />],
    ["Viewed", invoice.viewedAt && <Time key="viewed" at={invoice.lastViewedAt ?? invoice.viewedAt} />],
    ["Your reference", <Words key="reference" of={invoice.externalReference} />],
    ["Notes", <Words key="notes" of={invoice.notes} />],
  ] as const;

/** The way of payment, in words. */
function howPaid(source: string, method: string | null): string {
  if (source === "transaction") return "Through a gateway";
  if (source === "credit") return "Customer's credit";
  if (source === "credit_note" || source === "reversal") return words(source);
  return method === null ? "Recorded" : `Recorded, ${words(method)}`;
}

/** Undoes a payment that was recorded by mistake. */
const Undo = (props: { readonly invoice: Invoice; readonly payment: string; readonly amount: number }) => {
  const { invoice, payment, amount } = props;
  const money = formatMoney(amount, invoice.currency);
  return (
    <MoneyAction
      label="Undo"
      title="Undo the payment"
      permission="transactions:write"
      initial={{}}
      danger
      what={() =>
        `${money} is owed on invoice ${invoice.number} again, and its reminders go on. Nothing is paid back. Both entries stay in the books.`
      }
      send={() =>
        got(
          api.DELETE("/invoices/{id}/payments/{paymentId}", {
            params: { path: { id: invoice.id, paymentId: payment } },
          }),
        )
      }
      touches={["/invoices", "/customers", "/overview"]}
      said={() => `The payment of ${money} is undone`}
      button={{ size: "xs", variant: "default" }}
    />
  );
};

function Payments({ invoice }: { readonly invoice: Invoice }) {
  const { id, currency } = invoice;
  const payments = useRecord(["/invoices", id, "payments"], () =>
    got(api.GET("/invoices/{id}/payments", { params: { path: { id } } })),
  );
  return (
    <Section title="Payments">
      <Rows
        label="Payments"
        items={payments.data?.data ?? []}
        keyOf={({ id: payment }) => payment}
        none="No payments yet"
        columns={[
          { label: "Date", cell: ({ paidAt }) => <Time at={paidAt} /> },
          {
            label: "Method",
            cell: ({ source, method }) => howPaid(source, method),
          },
          {
            label: "Reference",
            cell: ({ transactionReference, creditNoteId, reference }) =>
              transactionReference || creditNoteId ? (
                <IdLink id={transactionReference ?? creditNoteId} />
              ) : (
                <Words of={reference} />
              ),
          },
          {
            label: "Can be reversed",
            cell: ({ atRisk, disputableUntil }) =>
              atRisk > 0 && (
                <>
                  <Money amount={atRisk} currency={currency} /> until <Time at={disputableUntil} day />
                </>
              ),
          },
          { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
          {
            label: "Actions",
            cell: (payment) =>
              payment.source === "offline" && <Undo invoice={invoice} payment={payment.id} amount={payment.amount} />,
          },
        ]}
      />
      {(payments.data?.refunds.length ?? 0) > 0 && (
        <Rows
          label="Refunds"
          items={payments.data?.refunds ?? []}
          keyOf={({ refundNumber }) => refundNumber}
          none="No refunds"
          columns={[
            { label: "Date", cell: ({ processedAt, createdAt }) => <Time at={processedAt ?? createdAt} /> },
            { label: "Refund", cell: ({ refundNumber }) => refundNumber },
            { label: "Payment", cell: ({ transactionReference }) => <IdLink id={transactionReference} /> },
            { label: "Status", cell: ({ status }) => words(status) },
            { label: "Refunded", figures: true, cell: ({ amount }) => <Money amount={-amount} currency={currency} /> },
          ]}
        />
      )}
    </Section>
  );
}
