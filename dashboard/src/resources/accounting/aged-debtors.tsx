import { Stack, Text } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Loaded } from "../../components/frame.tsx";
import { useListAddress } from "../../components/list-address.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Money } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { formatDay } from "../../lib/time.ts";

type Debtor = Shape<"AgedDebtor">;

const AGES = [
  ["current", "Not yet due"],
  ["days30", "1 to 30 days"],
  ["days60", "31 to 60 days"],
  ["days90", "61 to 90 days"],
  ["days120", "91 to 120 days"],
  ["older", "Over 120 days"],
  ["total", "Owed"],
  ["credit", "Credit"],
] as const satisfies readonly (readonly [keyof Debtor, string])[];

/** What customers owed at the end of a day, by days past due: the totals, and each customer. */
export const Page = () => (
  <Stack gap="md">
    <ResourceList
      resource="accounting/aged-debtors"
      title="Aged debtors"
      path="/accounting/aged-debtors/customers"
      linkOf={({ id }) => pathTo("customers", id)}
      filters={[
        { name: "asAt", label: "At the end of", day: true },
        { name: "currency", label: "Currency" },
      ]}
      columns={[
        { name: "name", label: "Customer", cell: ({ name, id }) => name ?? id },
        ...AGES.map(([name, label]) => ({
          name,
          label,
          figures: true,
          cell: (debtor: Debtor) => <Money amount={debtor[name]} currency={debtor.currency} />,
        })),
      ]}
      exported="/accounting/aged-debtors/csv"
      empty={{
        title: "No outstanding invoices",
        text: "Customers appear here as soon as an invoice of theirs is open, with what they owe by how long it is past due.",
      }}
    />
    <Totals />
  </Stack>
);

function Totals() {
  const { asAt, currency } = useListAddress().filters;
  const query = { ...(asAt ? { asAt } : {}), ...(currency ? { currency } : {}) };
  const read = useRecord(["/accounting", "aged-debtors", query], () =>
    got(api.GET("/accounting/aged-debtors", { params: { query } })),
  );
  return (
    <Section title="All customers">
      <Loaded of={read}>
        {(all) => (
          <Stack gap="xs">
            <Text size="sm" c="dimmed">
              At the end of {formatDay(all.asAt)}
            </Text>
            <Rows
              label="All customers"
              items={AGES.map(([name, label]) => ({ label, amount: all[name] }))}
              keyOf={({ label }) => label}
              none="Nothing is owed."
              columns={[
                { label: "Past due", cell: ({ label }) => label },
                {
                  label: "Amount",
                  figures: true,
                  cell: ({ amount }) => <Money amount={amount} currency={all.currency} />,
                },
              ]}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
