import { Group, NativeSelect, Stack, Table } from "@mantine/core";
import { useState } from "react";
import { api, got, type paths, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Time, Words } from "../../components/values.tsx";
import { Pager, SHOWN } from "./pager.tsx";

const LENGTHS = [
  { value: "1", label: "One month" },
  { value: "2", label: "Two months, this one last" },
] as const;
const BASES = [
  { value: "invoice", label: "Invoice basis" },
  { value: "payments", label: "Payments basis" },
] as const;
const UNTAXED = [
  { value: "zero_rated", label: "Treat 0 % as zero-rated" },
  { value: "exempt", label: "0% without a mark: exempt" },
] as const;

type Field = Shape<"VatReturn">["figures"][number]["field"];
type RecordQuery = NonNullable<paths["/accounting/vat201/{period}/records"]["get"]["parameters"]["query"]>;
type VatField = NonNullable<RecordQuery["field"]>;

const OF_RECORDS: Readonly<Record<VatField, true>> = { "1": true, "2": true, "3": true, "4": true, "18": true };
const hasRecords = (field: Field): field is VatField => field in OF_RECORDS;

/** The parameters of the return. */
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

/** Figures of the VAT201 return; those with entries in the books open to their records. */
export function VatReturn({ month, months = "1" }: { readonly month: string; readonly months?: Asked["months"] }) {
  const [asked, setAsked] = useState<Asked>({ months, basis: "invoice", untaxed: "zero_rated" });
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
            label="Supplies at 0% that are not marked as exempt"
            data={UNTAXED}
            value={asked.untaxed}
            onChange={(untaxed) => setAsked({ ...asked, untaxed })}
          />
          {(["pdf", "csv"] as const).map((kind) => (
            <FileButton
              key={kind}
              size="xs"
              path={`/accounting/vat201/${month}/${kind}?${new URLSearchParams({ ...asked })}`}
            >
              {kind.toUpperCase()}
            </FileButton>
          ))}
        </Group>
      }
    >
      <Loaded of={read}>{(one) => <Figures of={one} month={month} asked={asked} />}</Loaded>
    </Section>
  );
}

const Figures = (props: { readonly of: Shape<"VatReturn">; readonly month: string; readonly asked: Asked }) => {
  const { figures, currency } = props.of;
  return (
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
          {figures.map(({ field, description, amount }) => (
            <Table.Tr key={field}>
              <Table.Td data-label="Field">{field}</Table.Td>
              <Table.Td data-label="Figure">
                {hasRecords(field) ? (
                  <Opened label={description} month={props.month} asked={props.asked} field={field} />
                ) : (
                  description
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
  );
};

/** The entries of a figure, read when the person opens it. */
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
                <Pager after={after} next={hasMore ? (nextCursor ?? null) : null} go={setAfter} />
              </Group>
            </Stack>
          )}
        </Loaded>
      )}
    </details>
  );
}
