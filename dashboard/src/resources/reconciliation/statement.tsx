import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { type Figure, Tile } from "../../components/tile.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { formatDay } from "../../lib/time.ts";
import { counted, words } from "../../lib/words.ts";
import { REPEATED } from "./parts.ts";
import { FileRows, Warnings } from "./rows.tsx";

type Run = Shape<"ReconciliationRunSummary">;

/** The page of a statement: the matches of its lines. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const run = useRecord(["/reconciliation", "run", id], () =>
    got(api.GET("/reconciliation/runs/{id}/summary", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="reconciliation/runs"
      list="Statements"
      record={run}
      show={(record) => ({
        // The days of a statement that could not be read are not known.
        title:
          record.status === "failed" && record.fileName !== null
            ? `${record.account}, ${record.fileName}`
            : `${record.account}, ${formatDay(record.periodStart)} – ${formatDay(record.periodEnd)}`,
        name: `${record.account}, ${formatDay(record.periodEnd)}`,
        id: record.id,
        status: record.status,
        facts: facts(record),
        actions: record.status === "completed" && record.source === "csv_upload" && !record.withdrawnAt && (
          <Withdraw run={record} />
        ),
        sections: record.withdrawnAt ? (
          <Withdrawn run={record} />
        ) : (
          record.status !== "failed" && (
            <>
              <Warnings of={record.warnings} />
              <Totals run={record} />
              <Left run={record} status="unmatched" title="To match" none="Every line is matched." />
              <Left
                run={record}
                status="not_received"
                title="Not received"
                about="What this statement lacked, and when it came since. What no statement has shown is under Not in the bank yet."
                none="The statement shows all that it should."
              />
            </>
          )
        ),
        timeline: false,
      })}
    />
  );
}

const facts = (run: Run) =>
  [
    ["Account", <Words key="account" of={run.account} />],
    [
      run.source === "csv_upload" ? "File" : "From",
      run.source === "csv_upload" ? <Words key="file" of={run.fileName ?? "A file"} /> : words(run.source),
    ],
    ["Currency", run.currency],
    ["Imported", <Time key="started" at={run.startedAt} />],
    ["Finished", <Time key="finished" at={run.finishedAt} />],
    ...(run.rows ? [["Rows", <FileRows key="rows" of={run.rows} />] as const] : []),
    ...(run.failure === null ? [] : [["Error", <Words key="failure" of={run.failure} />] as const]),
  ] as const;

const Withdrawn = ({ run: { withdrawnAt, withdrawnBy } }: { readonly run: Run }) => (
  <Text>
    This statement was withdrawn by <Words of={withdrawnBy ?? "staff"} /> on <Time at={withdrawnAt ?? null} />. Its
    lines count as never imported.
  </Text>
);

/** Takes an imported statement back, such as one that was read with the wrong columns. */
const Withdraw = ({ run: { id, totals } }: { readonly run: Run }) => (
  <MoneyAction
    label="Withdraw"
    title="Withdraw statement"
    permission="reconciliation:write"
    danger
    initial={{}}
    what={() =>
      `Its lines count as never imported. ${totals.matched === 0 ? "" : `${counted(totals.matched, "match", "matches")} of this statement ${totals.matched === 1 ? "is" : "are"} undone, in the books too. Nothing of it may have been matched by hand.`}`
    }
    send={() => got(api.POST("/reconciliation/runs/{id}/withdraw", { params: { path: { id } } }))}
    touches={["/reconciliation"]}
    said={() => "Statement withdrawn"}
  />
);

function Totals({ run: { id, totals, currency } }: { readonly run: Run }) {
  const of = (status: string, count: number, amount?: number): Figure => ({
    count,
    ...(amount === undefined ? {} : { amount }),
    list: `/dashboard/api/reconciliation/items?runId=${encodeURIComponent(id)}&status=${status}`,
  });
  const repeated = totals.items - totals.matched - totals.unmatched - totals.notReceived;
  return (
    <div className="tefo-tiles">
      <Tile label="Matched" of={of("matched", totals.matched, totals.amountMatched)} kind="line" currency={currency} />
      <Tile
        label="To match"
        of={of("unmatched", totals.unmatched, totals.amountUnmatched)}
        kind="line"
        currency={currency}
      />
      <Tile label="Not received" of={of("not_received", totals.notReceived)} kind="payment" />
      {repeated > 0 && <Tile label={REPEATED.label} of={of(REPEATED.value, repeated)} kind="line" />}
    </div>
  );
}

/** The later line that has shown the money. */
const came = ({ received }: Shape<"ReconciliationItem">) =>
  received ? (
    <TextLink to={pathTo("reconciliation/items", received.itemId)}>
      <Time at={received.date} />
    </TextLink>
  ) : (
    "–"
  );

const SHOWN = 20;

function Left(props: {
  readonly run: Run;
  readonly status: "unmatched" | "not_received";
  readonly title: string;
  readonly about?: string;
  readonly none: string;
}) {
  const query = { runId: props.run.id, status: props.status };
  const list = useList("/reconciliation/items", { ...query, limit: String(SHOWN) });
  return (
    <Section
      title={props.title}
      actions={
        list.data?.hasMore && (
          <TextLink to="/reconciliation/items" search={query} size="sm">
            Show all
          </TextLink>
        )
      }
    >
      {props.about && list.data && list.data.data.length > 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {props.about}
        </Text>
      )}
      <Rows
        label={props.title}
        items={list.data?.data ?? []}
        keyOf={({ id }) => id}
        none={list.isPending ? "Loading …" : props.none}
        columns={[
          {
            label: "Description",
            cell: ({ id, description }) => (
              <TextLink to={pathTo("reconciliation/items", id)}>
                <Words of={description || "(empty)"} />
              </TextLink>
            ),
          },
          { label: "Date", cell: ({ date }) => <Time at={date} /> },
          { label: "Payment", cell: ({ transactionReference }) => <IdLink id={transactionReference} /> },
          ...(props.status === "not_received" ? [{ label: "Received on", cell: came }] : []),
          {
            label: "Amount",
            figures: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
        ]}
      />
    </Section>
  );
}
