import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DocumentLines } from "../../components/document-lines.tsx";
import { FileButton } from "../../components/file.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
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
  if (source === "credit_note" || source === "reversal") return words(source);
  return method === null ? "Recorded" : `Recorded, ${words(method)}`;
}

function Payments({ invoice: { id, currency } }: { readonly invoice: Invoice }) {
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
