import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card, LargeMoney } from "../../components/card.tsx";
import { Loaded } from "../../components/frame.tsx";
import { useListAddress } from "../../components/list-address.ts";
import { Bars } from "../../components/plot.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { Money } from "../../components/values.tsx";
import { formatMoney, formatShort, leftOf } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { formatDay } from "../../lib/time.ts";

type Debtor = Shape<"AgedDebtor">;
type Totals = Shape<"AgedDebtors">;

/** What is owed by days past due, with what a phone says. */
const AGES = [
  ["current", "Not yet due", "Not due"],
  ["days30", "1 to 30 days", "1–30"],
  ["days60", "31 to 60 days", "31–60"],
  ["days90", "61 to 90 days", "61–90"],
  ["days120", "91 to 120 days", "91–120"],
  ["older", "Over 120 days", "Over 120"],
] as const satisfies readonly (readonly [keyof Debtor, string, string])[];
const SUMS = [
  ["total", "Owed"],
  ["credit", "Credit"],
] as const;

/** What customers owed at the end of a day, by days past due: the sum of all, and each customer. */
export const Page = () => (
  <ResourceList
    resource="accounting/aged-debtors"
    title="Aged debtors"
    path="/accounting/aged-debtors/customers"
    linkOf={({ id }) => pathTo("customers", id)}
    filters={[
      { name: "asAt", label: "At the end of", day: true },
      { name: "currency", label: "Currency" },
    ]}
    summary={<AllCustomers />}
    columns={[
      { name: "name", label: "Customer", cell: ({ name, id }) => name ?? id },
      ...[...AGES, ...SUMS].map(([name, label]) => ({
        name,
        label,
        figures: true,
        cell: ({ [name]: amount, currency }: Debtor) =>
          amount === 0 ? null : <Money amount={amount} currency={currency} />,
      })),
    ]}
    exported="/accounting/aged-debtors/csv"
    empty={{
      title: "No outstanding invoices",
      text: "Customers appear here as soon as an invoice of theirs is open, with what they owe by how long it is past due.",
    }}
  />
);

function AllCustomers() {
  const { asAt, currency } = useListAddress().filters;
  const query = { ...(asAt ? { asAt } : {}), ...(currency ? { currency } : {}) };
  const read = useRecord(["/accounting", "aged-debtors", query], () =>
    got(api.GET("/accounting/aged-debtors", { params: { query } })),
  );
  return (
    <Card
      title="All customers"
      aside={read.data && <span className="tefo-quiet">At the end of {formatDay(read.data.asAt)}</span>}
    >
      <Loaded of={read}>{(all) => <Ages of={all} />}</Loaded>
    </Card>
  );
}

/** What is owed, how much of it is past due, and a bar for each age. */
function Ages({ of }: { readonly of: Totals }) {
  const money = (amount: number) => formatMoney(amount, of.currency);
  return (
    <>
      <div className="tefo-figure-row">
        <LargeMoney amount={of.total} currency={of.currency} />
        <span className="tefo-quiet">
          owed, {money(leftOf(of.total, of.current))} of it past due
          {of.credit > 0 && `; customers have ${money(of.credit)} credit`}
        </span>
      </div>
      <Bars
        label={`What customers owe by days past due, ${money(of.total)}.`}
        bars={AGES.map(([name, label, short]) => ({
          at: label,
          short,
          parts: [{ value: of[name], series: 1 as const }],
        }))}
        format={(amount) => formatShort(amount, of.currency)}
      />
      <details className="tefo-raw">
        <summary>View as table</summary>
        <p className="tefo-quiet">
          What was due of invoices that were open at the end of the day, by the days since their due dates. Credit that
          customers have is not taken off.
        </p>
        <Rows
          label="All customers"
          items={[...AGES, ...SUMS].map(([name, label]) => ({ label, amount: of[name] }))}
          keyOf={({ label }) => label}
          none="Nothing is owed."
          columns={[
            { label: "Past due", cell: ({ label }) => label },
            { label: "Amount", figures: true, cell: ({ amount }) => money(amount) },
          ]}
        />
      </details>
    </>
  );
}
