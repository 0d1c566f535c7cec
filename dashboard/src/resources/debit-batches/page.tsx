import { Alert, Button, Group } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { Facts, ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { formatDay } from "../../lib/time.ts";
import { reasonOf } from "../../lib/unpaid.ts";
import { Actions } from "./actions.tsx";

type Batch = Shape<"DebitBatch">;

/** The page of a debit batch: its debits, their outcomes, and the expected ones. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const batch = useRecord(["/debit-batches", id], () =>
    got(api.GET("/debit-batches/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="debit-batches"
      list="Debit batches"
      record={batch}
      show={(record) => ({
        title: `Batch for ${formatDay(record.actionDate)}`,
        name: `Batch for ${formatDay(record.actionDate)}`,
        id: record.id,
        status: record.status,
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: <Actions batch={record} />,
        sections: (
          <>
            {record.problem && (
              <Alert color="red" title="Gateway's message">
                <Words of={record.problem} />
              </Alert>
            )}
            <Forecast batch={record} />
            <Debits key={record.id} batch={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (batch: Batch) =>
  [
    ["Debits", String(batch.count)],
    ["Collected", String(batch.results.collected)],
    ["Unpaid", String(batch.results.unpaid)],
    ["Awaiting result", String(batch.results.pending)],
    ["Original date", <Time key="moved" at={batch.movedFrom} />],
    ["Gateway", <IdLink key="gateway" id={batch.gateway} />],
    ["Created", <Time key="made" at={batch.createdAt} />],
    ["Submitted", <Time key="submitted" at={batch.submittedAt} />],
    ["Results in", <Time key="completed" at={batch.completedAt} />],
  ] as const;

function Forecast({ batch: { forecast, status, results } }: { readonly batch: Batch }) {
  const over =
    forecast.unpaidPercent > forecast.unpaidLimitPercent || forecast.disputedPercent > forecast.disputedLimitPercent;
  return (
    <Section title="Forecast">
      <Facts
        of={[
          ["Forecast unpaid", String(forecast.expectedUnpaid)],
          ...(status === "submitted"
            ? [["Actually unpaid", results.pending > 0 ? `${results.unpaid} so far` : String(results.unpaid)] as const]
            : []),
          ["Unpaid within 90 days", `${forecast.unpaidPercent} % of at most ${forecast.unpaidLimitPercent} %`],
          ["Disputed within 90 days", `${forecast.disputedPercent} % of at most ${forecast.disputedLimitPercent} %`],
        ]}
      />
      {over && (
        <Alert color="red" mt="md" title="More than the banks allow">
          {status === "open"
            ? "Pause the mandates that keep failing before you submit: the debits name them."
            : "Pause the mandates that keep failing before the next batch: the debits name them."}
        </Alert>
      )}
    </Section>
  );
}

const PAGE = 20;

function Debits({ batch: { id } }: { readonly batch: Batch }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const startingAfter = cursors.at(-1);
  const list = useList(`/debit-batches/${id}/debits` as "/debit-batches/{id}/debits", {
    limit: String(PAGE),
    startingAfter,
  });
  const next = list.data?.hasMore ? list.data.nextCursor : null;
  return (
    <Section title="Debits">
      <Rows
        label="Debits"
        items={list.data?.data ?? []}
        keyOf={({ reference }) => reference}
        none={list.isPending ? "Loading …" : "No debits in this batch"}
        columns={[
          {
            label: "Customer",
            cell: ({ customerId, customerName }) => <IdLink id={customerId}>{customerName}</IdLink>,
          },
          { label: "Mandate", cell: ({ mandateId }) => <IdLink id={mandateId} /> },
          { label: "Payment", cell: ({ reference }) => <IdLink id={reference} /> },
          {
            label: "Last result",
            cell: ({ lastResult }) => (lastResult === null ? "First debit" : <Status of={lastResult} />),
          },
          { label: "Unpaid in a row", figures: true, cell: ({ unpaidInARow }) => unpaidInARow },
          { label: "Status", cell: ({ status }) => <Status of={status} /> },
          { label: "Bank's reason", cell: (debit) => <Words of={reasonOf(debit)} /> },
          {
            label: "Amount",
            figures: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
        ]}
      />
      {(next || cursors.length > 0) && (
        <Group justify="space-between" mt="md">
          <Button
            variant="default"
            size="xs"
            disabled={cursors.length === 0}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            Previous
          </Button>
          <Button variant="default" size="xs" disabled={!next} onClick={() => next && setCursors([...cursors, next])}>
            Next
          </Button>
        </Group>
      )}
    </Section>
  );
}
