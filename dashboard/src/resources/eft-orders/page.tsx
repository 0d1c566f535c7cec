import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton, FilePreview } from "../../components/file.tsx";
import { PayoutHold } from "../../components/payout-hold.tsx";
import { Facts, ResourcePage, Section } from "../../components/resource-page.tsx";
import { CopyId, IdLink, Money, Time, Words } from "../../components/values.tsx";
import { Actions } from "./actions.tsx";

type Order = Shape<"EftOrder">;

/** The page of a bank transfer: the proof beside the details that it must show. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const order = useRecord(["/eft-orders", id], () => got(api.GET("/eft-orders/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="eft-orders"
      list="EFT payments"
      record={order}
      show={(record) => ({
        title: record.reference,
        name: record.reference,
        id: record.id,
        status: record.status,
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: <Actions order={record} />,
        sections: (
          <>
            <PayoutHold />
            <Review order={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (order: Order) =>
  [
    ["For", <Words key="for" of={order.description} />],
    ["Customer", <IdLink key="customer" id={order.customer?.id} />],
    ["Payment", <IdLink key="payment" id={order.reference} />],
    ["Your reference", <Words key="reference" of={order.externalReference} />],
    ["Created", <Time key="made" at={order.createdAt} />],
    ["Expires", <Time key="expires" at={order.expiresAt} />],
    ["Reviewed", <Time key="reviewed" at={order.reviewedAt} />],
    ["Paid", <Time key="paid" at={order.paidAt} />],
    ["Rejection reason", <Words key="why" of={order.rejectionReason} />],
  ] as const;

/** The details to look for on the bank statement, beside the newest proof. */
function Review({ order }: { readonly order: Order }) {
  const newestFirst = order.proofs.toReversed();
  const [chosen, setChosen] = useState<string | null>(null);
  const proof = newestFirst.find(({ id }) => id === chosen) ?? newestFirst[0];
  const { bankDetails } = order;
  return (
    <div className="tefo-beside">
      <Section title="Expected on your bank statement">
        <Facts
          of={[
            ["Amount", <Money key="amount" amount={order.amount} currency={order.currency} />],
            ["Reference", <CopyId key="reference" id={order.paymentReference} />],
            ["Account number", <Words key="account" of={bankDetails.accountNumber} />],
            ["Of", <Words key="holder" of={bankDetails.accountName} />],
            ["At", <Words key="bank" of={bankDetails.bankName} />],
            ["Branch", <Words key="branch" of={bankDetails.branchCode} />],
          ]}
        />
      </Section>
      <Section
        title="Proof of payment"
        actions={
          proof && (
            <FileButton path={pathOf(order, proof.id)} size="xs">
              Download
            </FileButton>
          )
        }
      >
        {proof ? (
          <Stack gap="sm">
            {newestFirst.length > 1 && (
              <SegmentedControl
                aria-label="Which proof"
                value={proof.id}
                onChange={setChosen}
                data={newestFirst.map(({ id }, index) => ({ value: id, label: `Proof ${newestFirst.length - index}` }))}
              />
            )}
            <Text size="sm" component="div">
              <Words of={proof.fileName} />,{" "}
              {proof.source === "payer"
                ? "sent by the customer"
                : `added by ${proof.source === "api" ? "the API" : "staff"}`}
              , <Time at={proof.createdAt} />
            </Text>
            <FilePreview
              key={proof.id}
              path={pathOf(order, proof.id)}
              contentType={proof.contentType}
              label={`Proof of payment of ${order.reference}`}
            />
          </Stack>
        ) : (
          <Text size="sm" c="dimmed">
            No proof yet
          </Text>
        )}
      </Section>
    </div>
  );
}

const pathOf = ({ id }: Order, proof: string): string => `/eft-orders/${id}/proofs/${proof}`;
