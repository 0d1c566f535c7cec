import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { WhileAllowed } from "../../components/allowed.tsx";
import { TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { words } from "../../lib/words.ts";
import { IgnoreLine } from "./ignore.tsx";
import { MatchLine } from "./match.tsx";
import type { Line } from "./parts.ts";
import { DecideRule, saidOf } from "./rule-actions.tsx";

/** The page of a line of a statement: its match, and matching it by hand. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const line = useRecord(["/reconciliation", "item", id], () =>
    got(api.GET("/reconciliation/items/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="reconciliation/items"
      list="Bank lines"
      record={line}
      show={(record) => ({
        title: record.description || "A line without description",
        name: record.description || "Bank line",
        id: record.id,
        status: record.status,
        figure: <Money amount={record.amount} currency={record.currency} />,
        facts: facts(record),
        actions: (
          <>
            {record.status === "unmatched" && <IgnoreLine line={record} />}
            {(record.status === "matched" || record.status === "ignored") && !record.withdrawn && (
              <Undo line={record} />
            )}
          </>
        ),
        sections: (
          <>
            {record.status === "unmatched" && (
              <WhileAllowed to="reconciliation:write">
                <MatchLine key={record.id} line={record} />
              </WhileAllowed>
            )}
            {record.status === "not_received" && <NotReceived line={record} />}
            {record.allocations.length > 0 && <Parts line={record} />}
            {record.status === "matched" && <Proposed line={record} />}
          </>
        ),
      })}
    />
  );
}

const NotReceived = ({ line: { received } }: { readonly line: Line }) =>
  received ? (
    <Text>
      The statement of its period lacked the money of this payment. It has come since:{" "}
      <TextLink to={pathTo("reconciliation/items", received.itemId)}>
        a line of <Time at={received.date} />
      </TextLink>{" "}
      shows it.
    </Text>
  ) : (
    <Text>
      This payment counts as paid, and the statement of its period lacks its money. Ask the customer, or wait for the
      next statement.
    </Text>
  );

const facts = (line: Line) =>
  [
    ["Date", <Time key="date" at={line.date} />],
    ["Account", <Words key="account" of={line.account} />],
    ["Statement", <IdLink key="run" id={line.runId} />],
    ["Reference", <Words key="reference" of={line.reference} />],
    ["Payment", <IdLink key="payment" id={line.transactionReference} />],
    ["Reason", <Words key="reason" of={line.reason} />],
    ["Decided by", line.status === "matched" ? (line.matchedBy ?? "The service") : (line.matchedBy ?? "–")],
    ["Decided", <Time key="matched" at={line.matchedAt} />],
  ] as const;

const Parts = ({ line: { allocations, currency } }: { readonly line: Line }) => (
  <Section title="What it is">
    <Rows
      label="What it is"
      items={allocations}
      keyOf={(_part, index) => String(index)}
      none="Nothing."
      columns={[
        { label: "Type", cell: ({ kind }) => words(kind) },
        { label: "Record", cell: ({ id, invoiceId }) => <IdLink id={invoiceId ?? id} /> },
        { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
      ]}
    />
  </Section>
);

const Undo = ({ line }: { readonly line: Line }) => (
  <MoneyAction
    label={line.status === "ignored" ? "Stop ignoring" : "Unmatch"}
    title={line.status === "ignored" ? "Stop ignoring" : "Unmatch"}
    permission="reconciliation:write"
    initial={{}}
    danger
    what={() =>
      line.status === "ignored"
        ? "Line to match again"
        : "The line is unmatched again, and the books stand as before the match. A payment of an invoice that the match recorded is taken back, and the invoice that it made for a sale is cancelled; what followed elsewhere, such as a renewal, stays."
    }
    send={() => got(api.POST("/reconciliation/items/{id}/unmatch", { params: { path: { id: line.id } } }))}
    touches={["/reconciliation", "/invoices", "/customers"]}
    said={() => (line.status === "ignored" ? "Line to match again" : "Match undone")}
  />
);

/** The rule from this match, while it is not decided. */
function Proposed({ line: { id, account } }: { readonly line: Line }) {
  const rules = useList("/reconciliation/rules", { status: "proposed", account });
  return rules.data?.data
    .filter(({ itemId }) => itemId === id)
    .map((rule) => (
      <Section key={rule.id} title="Always match lines like this?" actions={<DecideRule rule={rule} />}>
        <Text size="sm">
          Lines of {account} with the words “<Words of={rule.fragment} />
          ”. {saidOf(rule)}.
        </Text>
      </Section>
    ));
}
