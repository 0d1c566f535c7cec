import { Alert } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { DECLINE_REASONS } from "../../components/decline-reasons.ts";
import { TextLink } from "../../components/link.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { paymentStatus } from "../../lib/disputes.ts";
import { wayOf } from "../../lib/methods.ts";
import { pathTo } from "../../lib/paths.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";
import { FLAGS } from "./flags.ts";

type Transaction = Shape<"Transaction">;

/** The page of a payment. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const payment = useRecord(["/transactions", id], () =>
    got(api.GET("/transactions/{reference}", { params: { path: { reference: id } } })),
  );
  const dispute = useList("/disputes", { transactionReference: id, limit: "1" }).data?.data[0];
  return (
    <ResourcePage
      resource="transactions"
      list="Payments"
      record={payment}
      show={(record) => ({
        title: record.reference,
        name: record.reference,
        id: record.reference,
        status: paymentStatus(record, dispute?.status),
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: <Actions payment={record} />,
        sections: (
          <>
            <Declined payment={record} />
            {dispute && <Disputed dispute={dispute} />}
            {record.flags.filter(needsAlert).map((flag) => (
              <Alert key={flag} color="red" title={words(flag)}>
                {FLAGS[flag]}
              </Alert>
            ))}
            <GivenBack payment={record} />
          </>
        ),
      })}
    />
  );
}

/** A dispute is told by an alert of its own. */
const needsAlert = (flag: Transaction["flags"][number]): boolean => flag !== "disputed";

/** Why the payment was declined, and what helps. */
function Declined({ payment: { declineReason, paidAt } }: { readonly payment: Transaction }) {
  if (declineReason === undefined) return null;
  const { label, help } = DECLINE_REASONS[declineReason];
  return (
    <Alert color="red" title={paidAt === null ? `Declined: ${label}` : `Returned unpaid: ${label}`}>
      {help}
    </Alert>
  );
}

function Disputed({ dispute: { id, status, respondBy, reason } }: { readonly dispute: Shape<"Dispute"> }) {
  const isOpen = status === "open";
  return (
    <Alert color={isOpen ? "red" : "gray"} title={isOpen ? "Disputed" : `Dispute ${status}`}>
      <Words of={reason} />
      {isOpen && respondBy && (
        <>
          {" "}
          Respond by <Time at={respondBy} />.
        </>
      )}{" "}
      <TextLink to={pathTo("disputes", id)} underline="always">
        View dispute
      </TextLink>
    </Alert>
  );
}

const facts = (payment: Transaction) =>
  [
    ["For", <Words key="for" of={payment.description} />],
    ["Customer", <Words key="payer" of={payment.payerEmail} />],
    ["Type", payment.type === "eft" ? "EFT" : words(payment.type)],
    ["Payment method", wayOf(payment)],
    ["Gateway", words(payment.gateway)],
    ["Gateway's reference", <Words key="provider" of={payment.providerRef} />],
    ["Fee", <Money key="fee" amount={payment.fee} currency={payment.currency} />],
    ["Net", <Money key="net" amount={payment.net} currency={payment.currency} />],
    ["Refunded", <Money key="refunded" amount={payment.refundedAmount} currency={payment.currency} />],
    ["Started", <Time key="begun" at={payment.createdAt} />],
    ["Paid", <Time key="paid" at={payment.paidAt} />],
    ["Reversible until", <Time key="disputable" at={payment.disputableUntil} />],
    [
      "Invoice",
      <IdLink key="invoice" id={payment.invoice?.id}>
        {payment.invoice?.number}
      </IdLink>,
    ],
    ["Payment link", <IdLink key="link" id={payment.paymentLinkId} />],
    ["Bank transfer", <IdLink key="eft" id={payment.eftOrderId} />],
    ["Subscription", <IdLink key="subscription" id={payment.subscriptionId} />],
    ["First payment", <IdLink key="parent" id={payment.parentReference} />],
    ["Your reference", <Words key="reference" of={payment.externalReference} />],
  ] as const;

function GivenBack({ payment: { refunds, reversals = [], currency } }: { readonly payment: Transaction }) {
  if (refunds.length + reversals.length === 0) return null;
  return (
    <Section title="Refunds and disputes">
      <Rows
        label="Refunds and disputes"
        items={[
          ...refunds.map(({ refundNumber, amount, status, createdAt }) => ({
            what: refundNumber,
            amount,
            status,
            at: createdAt,
          })),
          ...reversals.map(({ reason, amount, reversedAt }) => ({
            what: reason,
            amount,
            status: "reversed",
            at: reversedAt,
          })),
        ]}
        keyOf={({ what }, index) => `${what}-${index}`}
        none="No refunds"
        columns={[
          { label: "Description", cell: ({ what }) => <Words of={what} /> },
          { label: "Status", cell: ({ status }) => <Status of={status} /> },
          { label: "Date", cell: ({ at }) => <Time at={at} /> },
          { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
        ]}
      />
    </Section>
  );
}
