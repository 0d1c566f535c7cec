import { Alert } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { ResourcePage } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { statusOf } from "../../lib/batches.ts";
import { formatDay } from "../../lib/time.ts";
import { Actions } from "./actions.tsx";
import { Debits } from "./debits.tsx";
import { Settlement, Unpaid } from "./forecast.tsx";

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
        status: statusOf(record),
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
            <Unpaid batch={record} />
            <Debits key={record.id} batch={record} />
            <Settlement batch={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (batch: Batch) =>
  [
    ["Debits", String(batch.count)],
    ...(batch.heldBack.count > 0
      ? [
          [
            "Held back",
            <span key="held">
              {batch.heldBack.count}, <Money amount={batch.heldBack.amount} currency={batch.currency} />
            </span>,
          ] as const,
        ]
      : []),
    ["Collected", String(batch.results.collected)],
    ["Unpaid", String(batch.results.unpaid)],
    ["Awaiting result", String(batch.results.pending)],
    ["Original date", <Time key="moved" at={batch.movedFrom} />],
    ["Gateway", <IdLink key="gateway" id={batch.gateway} />],
    ["Created", <Time key="made" at={batch.createdAt} />],
    ["Submitted", <Time key="submitted" at={batch.submittedAt} />],
    ["Results in", <Time key="completed" at={batch.completedAt} />],
  ] as const;
