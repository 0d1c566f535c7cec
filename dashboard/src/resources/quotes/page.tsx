import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DocumentLines } from "../../components/document-lines.tsx";
import { FileButton } from "../../components/file.tsx";
import { ResourcePage } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { Actions } from "./actions.tsx";

/** The page of a quote. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const quote = useRecord(["/quotes", id], () => got(api.GET("/quotes/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="quotes"
      list="Quotes"
      record={quote}
      show={(record) => ({
        title: record.number,
        name: record.number,
        id: record.id,
        status: record.status,
        figure: <Money amount={record.total} currency={record.currency} />,
        facts: facts(record),
        actions: (
          <>
            <FileButton path={`/quotes/${id}/pdf`}>PDF</FileButton>
            <Actions quote={record} />
          </>
        ),
        sections: <DocumentLines lines={record.lineItems} of={record} />,
      })}
    />
  );
}

const facts = (quote: Shape<"Quote">) =>
  [
    ["Customer", <IdLink key="customer" id={quote.customer.id} />],
    [
      "Invoice",
      <IdLink key="invoice" id={quote.invoice?.id}>
        {quote.invoice?.number}
      </IdLink>,
    ],
    ["Issued", <Time key="issued" at={quote.issueDate} day />],
    ["Valid until", <Time key="expiry" at={quote.expiryDate} day />],
    ["Sent", <Time key="sent" at={quote.sentAt} />],
    ["Accepted", <Time key="accepted" at={quote.acceptedAt} />],
    ...(quote.acceptedBy ? [["Accepted by", <Words key="by" of={quote.acceptedBy} />] as const] : []),
    ["Declined", <Time key="declined" at={quote.declinedAt} />],
    ["Notes", <Words key="notes" of={quote.notes} />],
  ] as const;
