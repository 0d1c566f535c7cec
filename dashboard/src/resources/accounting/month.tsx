import { Button, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { formatMonth, lastDayOf } from "../../lib/months.ts";
import { words } from "../../lib/words.ts";

type Month = Shape<"AccountingMonth">;

/** The page of a month: whether it is closed, what was posted to each ledger account, and its VAT return. */
export function Page() {
  const { month } = useParams({ strict: false }) as { month: string };
  const record = useRecord(["/accounting", "month", month], () =>
    got(api.GET("/accounting/months/{month}", { params: { path: { month } } })),
  );
  return (
    <ResourcePage
      resource="accounting/months"
      list="Months"
      record={record}
      show={(one) => ({
        title: formatMonth(one.month),
        name: formatMonth(one.month),
        id: one.month,
        status: one.status,
        facts: [
          ["Closed", <Time key="at" at={one.closedAt} />],
          ["By", <Words key="by" of={one.closedBy} />],
        ],
        actions: <Decide of={one} />,
        sections: (
          <>
            <Totals of={one} />
            <VatReturn month={one.month} />
            <SoftwareFiles month={one.month} />
          </>
        ),
        timeline: false,
      })}
    />
  );
}

const Decide = ({ of: { month, status } }: { readonly of: Month }) =>
  status === "open" ? (
    <MoneyAction
      label="Close the month"
      title={`Close ${formatMonth(month)}`}
      permission="accounting:write"
      initial={{}}
      what={() =>
        `${formatMonth(month)} and every month before it are closed: nothing is posted into them any more. What is dated in one of them, such as a payment that is recorded later, is posted at the start of the first open month.`
      }
      send={() => got(api.POST("/accounting/months/{month}/close", { params: { path: { month } } }))}
      touches={["/accounting"]}
      said={() => `${formatMonth(month)} is closed.`}
    />
  ) : (
    <MoneyAction
      label="Reopen the month"
      title={`Reopen ${formatMonth(month)}`}
      permission="accounting:write"
      initial={{}}
      what={() =>
        `${formatMonth(month)} and every month after it are open again, so that their figures can change. What was posted elsewhere meanwhile stays where it is.`
      }
      send={() => got(api.POST("/accounting/months/{month}/reopen", { params: { path: { month } } }))}
      touches={["/accounting"]}
      said={() => `${formatMonth(month)} is open again.`}
      danger
    />
  );

const Totals = ({ of: { totals = [] } }: { readonly of: Month }) => (
  <Section title="Posted to the ledger">
    <Rows
      label="Posted to the ledger"
      items={totals}
      keyOf={({ account, currency }) => `${account} ${currency}`}
      none="Nothing was posted in this month."
      columns={[
        { label: "Account", cell: ({ account }) => words(account) },
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

const SOFTWARE = [
  { value: "xero", label: "Xero" },
  { value: "sage", label: "Sage" },
  { value: "quickbooks", label: "QuickBooks" },
];

/** The month as the files that accounting software imports (interface 18.8). */
function SoftwareFiles({ month }: { readonly month: string }) {
  const [software, setSoftware] = useState("xero");
  const query = `from=${month}-01&to=${lastDayOf(month)}`;
  return (
    <Permitted to="exports:read">
      <Section
        title="Files for accounting software"
        actions={
          <NativeSelect
            aria-label="Accounting software"
            size="xs"
            data={SOFTWARE}
            value={software}
            onChange={({ currentTarget }) => setSoftware(currentTarget.value)}
          />
        }
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Import invoices, credit notes and journal, in this order. Or the whole journal alone, when your books need
            no single documents. Close the month first, so that the files stay what they are.
          </Text>
          <Group gap="sm">
            <FileButton path={`/exports/${software}/invoices.csv?${query}`}>Invoices</FileButton>
            <FileButton path={`/exports/${software}/credit-notes.csv?${query}`}>Credit notes</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}`}>Journal</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}&documents=included`}>Whole journal</FileButton>
          </Group>
        </Stack>
      </Section>
    </Permitted>
  );
}

const LENGTHS = [
  { value: "1", label: "One month" },
  { value: "2", label: "Two months, this one last" },
] as const;
const BASES = [
  { value: "invoice", label: "Invoice basis" },
  { value: "payments", label: "Payments basis" },
] as const;
const UNTAXED = [
  { value: "zero_rated", label: "Without VAT: zero-rated" },
  { value: "exempt", label: "Without VAT: exempt" },
] as const;

/** What is asked of the return. */
interface Asked {
  readonly months: (typeof LENGTHS)[number]["value"];
  readonly basis: (typeof BASES)[number]["value"];
  readonly untaxed: (typeof UNTAXED)[number]["value"];
}

function Choice<Value extends string>(props: {
  readonly label: string;
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <NativeSelect
      aria-label={props.label}
      size="xs"
      data={[...props.data]}
      value={props.value}
      onChange={({ currentTarget }) => {
        const chosen = props.data.find(({ value }) => value === currentTarget.value);
        if (chosen) props.onChange(chosen.value);
      }}
    />
  );
}

/** Figures of the VAT201 return; those that the books add up open to their records. */
function VatReturn({ month }: { readonly month: string }) {
  const [asked, setAsked] = useState<Asked>({ months: "1", basis: "invoice", untaxed: "zero_rated" });
  const read = useRecord(["/accounting", "vat201", month, asked], () =>
    got(api.GET("/accounting/vat201/{period}", { params: { path: { period: month }, query: asked } })),
  );
  return (
    <Section
      title="VAT return"
      actions={
        <Group gap="xs">
          <Choice
            label="Tax period"
            data={LENGTHS}
            value={asked.months}
            onChange={(months) => setAsked({ ...asked, months })}
          />
          <Choice label="Basis" data={BASES} value={asked.basis} onChange={(basis) => setAsked({ ...asked, basis })} />
          <Choice
            label="Supplies without VAT"
            data={UNTAXED}
            value={asked.untaxed}
            onChange={(untaxed) => setAsked({ ...asked, untaxed })}
          />
        </Group>
      }
    >
      <Loaded of={read}>
        {({ figures, currency }) => (
          <div className="tefo-table">
            <Table aria-label="VAT return" verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Field</Table.Th>
                  <Table.Th scope="col">Figure</Table.Th>
                  <Table.Th scope="col" ta="right">
                    Amount
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {figures.map(({ field, description, amount, list }) => (
                  <Table.Tr key={field}>
                    <Table.Td data-label="Field">{field}</Table.Td>
                    <Table.Td data-label="Figure">
                      {list === null ? (
                        description
                      ) : (
                        <Opened label={description} month={month} asked={asked} field={field as VatField} />
                      )}
                    </Table.Td>
                    <Table.Td data-label="Amount" ta="right">
                      <Money amount={amount} currency={currency} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

type VatField = "1" | "2" | "3" | "4" | "18";
const SHOWN = 100;

/** The entries that a figure adds up, read when somebody opens it. */
function Opened(props: {
  readonly label: string;
  readonly month: string;
  readonly asked: Asked;
  readonly field: VatField;
}) {
  const { month, asked, field } = props;
  const [opened, setOpened] = useState(false);
  const [after, setAfter] = useState<string | null>(null);
  const read = useRecord(
    ["/accounting", "vat201", month, asked, field, after],
    () =>
      got(
        api.GET("/accounting/vat201/{period}/records", {
          params: {
            path: { period: month },
            query: { ...asked, field, limit: SHOWN, ...(after ? { startingAfter: after } : {}) },
          },
        }),
      ),
    opened,
  );
  return (
    <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>{props.label}</summary>
      {opened && (
        <Loaded of={read}>
          {({ data, hasMore, nextCursor }) => (
            <Stack gap="xs" mt="xs">
              <Rows
                label={`Records of field ${field}`}
                items={data}
                keyOf={({ id }) => id}
                none="Nothing in this period."
                columns={[
                  { label: "Record", cell: ({ subject }) => <IdLink id={subject} /> },
                  { label: "Entry", cell: ({ description }) => <Words of={description} /> },
                  { label: "Date", cell: ({ occurredAt }) => <Time at={occurredAt} day /> },
                  {
                    label: "Part of it",
                    figures: true,
                    cell: ({ amount }) => <Money amount={amount} currency="ZAR" />,
                  },
                ]}
              />
              <Group gap="sm" justify="flex-end">
                {after && (
                  <Button size="xs" variant="default" onClick={() => setAfter(null)}>
                    From the beginning
                  </Button>
                )}
                {hasMore && (
                  <Button size="xs" variant="default" onClick={() => setAfter(nextCursor ?? null)}>
                    The next {SHOWN}
                  </Button>
                )}
              </Group>
            </Stack>
          )}
        </Loaded>
      )}
    </details>
  );
}
