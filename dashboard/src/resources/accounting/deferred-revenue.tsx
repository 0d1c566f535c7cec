import { Group, List, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { CurrencyPicker } from "../../components/currency-picker.tsx";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { Pager, SHOWN } from "./pager.tsx";

const DEFAULT_CURRENCY = "ZAR";
type Invoice = Shape<"DeferredInvoice">;

const MOVEMENT = [
  ["opening", "Opening"],
  ["deferred", "Deferred"],
  ["recognised", "Recognised"],
  ["reversed", "Reversed"],
  ["closing", "Closing"],
] as const satisfies readonly (readonly [keyof Invoice, string])[];

const FIGURES = [
  ["opening", "Opening: invoiced before, not earned yet"],
  ["deferred", "Deferred: invoiced in the month, for days after it"],
  ["recognised", "Recognised: invoiced before, for days of the month"],
  ["reversed", "Reversed: credited or cancelled before it was earned"],
  ["closing", "Closing: invoiced, not earned yet"],
  ["posted", "Revenue as posted in the month"],
  ["earned", "Revenue that was earned in the month"],
] as const satisfies readonly (readonly [keyof Shape<"DeferredRevenue">, string])[];

/** The deferred revenue of a month, its movement, and the invoices with their lines. */
export function DeferredRevenue({ month }: { readonly month: string }) {
  const [currency, setCurrency] = useState(DEFAULT_CURRENCY);
  const read = useRecord(["/accounting", "deferred-revenue", month, currency], () =>
    got(api.GET("/accounting/deferred-revenue/{month}", { params: { path: { month }, query: { currency } } })),
  );
  return (
    <Section
      title="Deferred revenue"
      actions={
        <Group gap="xs">
          <CurrencyPicker
            label="Currency of deferred revenue"
            currencies={[DEFAULT_CURRENCY, ...(read.data?.currencies ?? [])]}
            value={currency}
            choose={setCurrency}
          />
          <FileButton size="xs" path={`/accounting/deferred-revenue/${month}/csv?currency=${currency}`}>
            CSV
          </FileButton>
        </Group>
      }
    >
      <Loaded of={read}>
        {(all) => (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              Lines of invoices that bill a period are earned by its days, without VAT. The books hold them as revenue
              of the day of their invoice: what the month defers, less what it recognises and reverses, is an entry for
              your own books.
            </Text>
            <Rows
              label="Deferred revenue"
              items={FIGURES}
              keyOf={([name]) => name}
              none=""
              columns={[
                { label: "Figure", cell: ([, label]) => label },
                {
                  label: "Amount",
                  figures: true,
                  cell: ([name]) => <Money amount={all[name]} currency={currency} />,
                },
              ]}
            />
            {all.invoices > 0 && (
              <Invoices key={`${month} ${currency}`} month={month} currency={currency} count={all.invoices} />
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** The invoices in the figures, read when the person opens them. */
function Invoices(props: { readonly month: string; readonly currency: string; readonly count: number }) {
  const { month, currency, count } = props;
  const [opened, setOpened] = useState(false);
  const [after, setAfter] = useState<string | null>(null);
  const read = useRecord(
    ["/accounting", "deferred-revenue", month, currency, "invoices", after],
    () =>
      got(
        api.GET("/accounting/deferred-revenue/{month}/invoices", {
          params: {
            path: { month },
            query: { currency, limit: SHOWN, ...(after ? { startingAfter: after } : {}) },
          },
        }),
      ),
    opened,
  );
  return (
    <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>{count === 1 ? "1 invoice" : `${count} invoices`}</summary>
      {opened && (
        <Loaded of={read}>
          {({ data, hasMore, nextCursor }) => (
            <Stack gap="xs" mt="xs">
              <Rows
                label="Invoices with deferred revenue"
                items={data}
                keyOf={({ id }) => id}
                none="None."
                columns={[
                  { label: "Invoice", cell: ({ id, number }) => <IdLink id={id}>{number}</IdLink> },
                  {
                    label: "Customer",
                    cell: (one) => <IdLink id={one.customerId}>{one.customerName ?? undefined}</IdLink>,
                  },
                  { label: "Lines", cell: (one) => <Lines of={one} /> },
                  ...MOVEMENT.map(([name, label]) => ({
                    label,
                    figures: true,
                    cell: (one: Invoice) => <Money amount={one[name]} currency={currency} />,
                  })),
                ]}
              />
              <Group gap="sm" justify="flex-end">
                <Pager after={after} next={hasMore ? (nextCursor ?? null) : null} go={setAfter} />
              </Group>
            </Stack>
          )}
        </Loaded>
      )}
    </details>
  );
}

const Lines = ({ of: { number, lines, currency } }: { readonly of: Invoice }) => (
  <details>
    <summary aria-label={`Lines of ${number}`}>{lines.length}</summary>
    <List size="sm" listStyleType="none">
      {lines.map((one) => (
        <List.Item key={one.line}>
          <Words of={one.description} />, <Time at={one.periodStart} /> to <Time at={one.periodEnd} />:{" "}
          <Money amount={one.amount} currency={currency} />, of which not earned yet{" "}
          <Money amount={one.closing} currency={currency} />
        </List.Item>
      ))}
    </List>
  </details>
);
