import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { vatInWords } from "../../lib/vat.ts";

type Note = Shape<"CreditNote">;

/** The page of a credit note: what it reduces, and to which invoices it was applied. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const note = useRecord(["/credit-notes", id], () => got(api.GET("/credit-notes/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="credit-notes"
      list="Credit notes"
      record={note}
      show={(record) => ({
        title: record.number,
        name: record.number,
        id: record.id,
        status: record.status,
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: [
          ["Customer", <IdLink key="customer" id={record.customerId} />],
          ["Credit remaining", <Money key="remaining" amount={record.remaining} currency={record.currency} />],
          ...(record.taxExempt ? [["VAT", "Exempt"] as const] : []),
          ["Reason", <Words key="reason" of={record.reason} />],
          ["For the payment", <IdLink key="payment" id={record.transactionReference} />],
          ["Issued", <Time key="issued" at={record.createdAt} />],
        ],
        actions: <FileButton path={`/credit-notes/${id}/pdf`}>PDF</FileButton>,
        sections: (
          <>
            {record.lines && <Lines note={record} lines={record.lines} />}
            <Applications note={record} />
          </>
        ),
      })}
    />
  );
}

const Lines = ({
  note: { amount, currency },
  lines,
}: {
  readonly note: Note;
  readonly lines: NonNullable<Note["lines"]>;
}) => (
  <Section title="Lines">
    <Rows
      label="Lines"
      items={lines}
      keyOf={(_line, index) => String(index)}
      none="No line."
      columns={[
        { label: "Description", cell: ({ description }) => <Words of={description} /> },
        { label: "VAT", figures: true, cell: (line) => vatInWords(line) },
        {
          label: "VAT",
          figures: true,
          cell: ({ taxAmount }) => <Money amount={taxAmount} currency={currency} />,
        },
        { label: "Incl. VAT", figures: true, cell: (line) => <Money amount={line.amount} currency={currency} /> },
      ]}
      foot={[["Total incl. VAT", <Money key="total" amount={amount} currency={currency} />]]}
    />
  </Section>
);

const Applications = ({ note: { applications, currency } }: { readonly note: Note }) => (
  <Section title="Applied to invoices">
    <Rows
      label="Applied to invoices"
      items={applications}
      keyOf={({ invoiceId }) => invoiceId}
      none="The customer owes nothing that it could be applied to. It waits for the next invoice."
      columns={[
        { label: "Invoice", cell: ({ invoiceId }) => <IdLink id={invoiceId} /> },
        { label: "Date", cell: ({ appliedAt }) => <Time at={appliedAt} /> },
        { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
      ]}
    />
  </Section>
);
