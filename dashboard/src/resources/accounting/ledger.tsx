import { Group, Stack } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { lastDayOf } from "../../lib/months.ts";
import { words } from "../../lib/words.ts";
import { Pager, SHOWN } from "./pager.tsx";

type Month = Shape<"AccountingMonth">;
type Account = NonNullable<Month["totals"]>[number]["account"];

/**
 * The sums that a month's entries posted to each ledger account; a ledger account opens to its records, such as those
 * of revenue or of fees.
 */
export const Ledger = ({ of: { month, totals = [] } }: { readonly of: Month }) => (
  <Section title="General ledger">
    <Rows
      label="General ledger"
      items={totals}
      keyOf={({ account, currency }) => `${account} ${currency}`}
      none="Nothing was posted in this month."
      columns={[
        {
          label: "Account",
          cell: ({ account, currency }) => <Opened month={month} account={account} currency={currency} />,
        },
        { label: "Debit", figures: true, cell: ({ debit, currency }) => <Money amount={debit} currency={currency} /> },
        {
          label: "Credit",
          figures: true,
          cell: ({ credit, currency }) => <Money amount={credit} currency={currency} />,
        },
      ]}
    />
  </Section>
);

/** The records of a ledger account, read when the person opens it. */
function Opened(props: { readonly month: string; readonly account: Account; readonly currency: string }) {
  const { month, account, currency } = props;
  const [opened, setOpened] = useState(false);
  const [after, setAfter] = useState<string | null>(null);
  const read = useRecord(
    ["/accounting", "month", month, account, currency, after],
    () =>
      got(
        api.GET("/accounting/months/{month}/records", {
          params: {
            path: { month },
            query: { account, currency, limit: SHOWN, ...(after ? { startingAfter: after } : {}) },
          },
        }),
      ),
    opened,
  );
  return (
    <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>{words(account)}</summary>
      {opened && (
        <Loaded of={read}>
          {({ data, hasMore, nextCursor }) => (
            <Stack gap="xs" mt="xs">
              <Rows
                label={`Records of ${words(account)}`}
                items={data}
                keyOf={({ id }) => id}
                none="Nothing in this month."
                columns={[
                  { label: "Record", cell: ({ subject }) => <IdLink id={subject} /> },
                  { label: "Entry", cell: ({ description }) => <Words of={description} /> },
                  { label: "Date", cell: ({ occurredAt }) => <Time at={occurredAt} day /> },
                  { label: "Debit", figures: true, cell: ({ debit }) => <Money amount={debit} currency={currency} /> },
                  {
                    label: "Credit",
                    figures: true,
                    cell: ({ credit }) => <Money amount={credit} currency={currency} />,
                  },
                ]}
              />
              <Group gap="sm" justify="flex-end">
                <Pager after={after} next={hasMore ? (nextCursor ?? null) : null} go={setAfter} />
                <Permitted to="exports:read">
                  <FileButton
                    size="xs"
                    path={`/exports/ledger.csv?from=${month}-01&to=${lastDayOf(month)}&account=${account}`}
                  >
                    CSV
                  </FileButton>
                </Permitted>
              </Group>
            </Stack>
          )}
        </Loaded>
      )}
    </details>
  );
}
