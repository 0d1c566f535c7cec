import { Alert, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { disputeStatus } from "../../lib/disputes.ts";
import { formatMoney } from "../../lib/money.ts";
import { formatTime } from "../../lib/time.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";

type Dispute = Shape<"Dispute">;

/** The page of a dispute: the time that is left to answer, the evidence, and what became of the money. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const dispute = useRecord(["/disputes", id], () => got(api.GET("/disputes/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="disputes"
      list="Disputes"
      record={dispute}
      show={(record) => ({
        title: `Dispute of ${record.transactionReference}`,
        name: `Dispute of ${record.transactionReference}`,
        id: record.id,
        status: disputeStatus(record),
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: <Actions dispute={record} />,
        sections: (
          <>
            <Now dispute={record} />
            <Evidence dispute={record} />
            <Movements dispute={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (dispute: Dispute) =>
  [
    ["Reason", <Words key="reason" of={dispute.reason} />],
    ["Bank's code", <Words key="code" of={dispute.code} />],
    ["Payment", <IdLink key="payment" id={dispute.transactionReference} />],
    ["Customer", <IdLink key="customer" id={dispute.customerId} />],
    ["Invoice", <IdLink key="invoice" id={dispute.invoiceId} />],
    ["Gateway", words(dispute.gateway)],
    ["Opened", <Time key="opened" at={dispute.openedAt} />],
    ["Respond by", <Time key="respond" at={dispute.respondBy} />],
    ["Evidence sent", <Time key="sent" at={dispute.submittedAt} />],
    ["Closed", <Time key="closed" at={dispute.closedAt} />],
  ] as const;

/** What is to do, or how it ended. */
function Now({ dispute }: { readonly dispute: Dispute }) {
  const { status, respondBy, submittedAt, answeredBy, gateway } = dispute;
  const money = formatMoney(dispute.amount, dispute.currency);
  if (status === "won")
    return (
      <Alert color="green" title="Dispute won">
        The dispute was decided for you: {money} is yours.
      </Alert>
    );
  if (status !== "open")
    return (
      <Alert color="gray" title={status === "lost" ? "Dispute lost" : "Dispute accepted"}>
        {money} stays with the customer. The payment cannot be refunded: the bank has returned the money.
      </Alert>
    );
  const until = respondBy === null ? "" : ` by ${formatTime(respondBy)}`;
  if (submittedAt !== null)
    return (
      <Alert color="blue" title="The bank reviews your evidence">
        It was sent on {formatTime(submittedAt)}. You can add files and send all of them again{until}.
      </Alert>
    );
  return (
    <Alert color="red" title={`Respond${until}`}>
      {answeredBy === "api"
        ? `Upload your evidence and submit it${until}; after that ${money} is lost.`
        : `${words(gateway)} takes evidence in its own dashboard only: respond there${until}; after that ${money} is lost. Files that you upload here are kept for your records.`}
    </Alert>
  );
}

const Evidence = ({ dispute: { id, evidence, status } }: { readonly dispute: Dispute }) => (
  <Section title="Evidence">
    {evidence.length === 0 ? (
      <Text size="sm" c="dimmed">
        {status === "open"
          ? "No files yet. Useful are the invoice, proof of delivery, and messages with the customer."
          : "No files"}
      </Text>
    ) : (
      <Rows
        label="Evidence"
        items={evidence}
        keyOf={(file) => file.id}
        none="No files"
        columns={[
          { label: "File", cell: ({ fileName }) => <Words of={fileName} /> },
          { label: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            label: "Download",
            cell: (file) => (
              <FileButton path={`/disputes/${id}/evidence/${file.id}`} size="xs">
                Download
              </FileButton>
            ),
          },
        ]}
      />
    )}
  </Section>
);

/** The payment, what the bank has taken of it, and what of that stands. */
function Movements({ dispute: { transactionReference: reference, currency } }: { readonly dispute: Dispute }) {
  const payment = useRecord(["/transactions", reference], () =>
    got(api.GET("/transactions/{reference}", { params: { path: { reference } } })),
  );
  if (!payment.data) return null;
  const { amount, fee, paidAt, reversals = [], refunds } = payment.data;
  return (
    <Section title="Money movements">
      <Rows
        label="Money movements"
        items={[
          { what: "Payment", at: paidAt, amount },
          ...(fee === null ? [] : [{ what: "Fee", at: paidAt, amount: -fee }]),
          ...refunds.map((refund) => ({
            what: `Refund ${refund.refundNumber}`,
            at: refund.createdAt,
            amount: -refund.amount,
          })),
          ...reversals.map((reversal) => ({
            what: `Taken back: ${reversal.reason}`,
            at: reversal.reversedAt,
            amount: -reversal.amount,
          })),
        ]}
        keyOf={({ what }, index) => `${what}-${index}`}
        none="No money moved"
        columns={[
          { label: "Date", cell: ({ at }) => <Time at={at} /> },
          { label: "Description", cell: ({ what }) => <Words of={what} /> },
          { label: "Amount", figures: true, cell: (moved) => <Money amount={moved.amount} currency={currency} /> },
        ]}
      />
    </Section>
  );
}
