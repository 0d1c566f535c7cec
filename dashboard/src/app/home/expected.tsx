import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card, LargeMoney, Legend } from "../../components/card.tsx";
import { TextLink } from "../../components/link.tsx";
import { type Bar, Bars } from "../../components/plot.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { pageOf } from "../../components/tile.tsx";
import { formatMoney, formatShort, sumOf } from "../../lib/money.ts";
import { addDays, formatDay, formatDayOfYear, formatDays } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Overview = Shape<"StaffOverview">;
type Money = Shape<"OverviewExpected">;
type Day = Money["days"][number];

/** Days of a bar. */
const WEEK = 7;

/** What is expected in the next thirty days in a currency. */
export function Expected({
  expected,
  owed,
  batch,
}: {
  readonly expected: Money;
  readonly owed: Overview["money"][number] | undefined;
  readonly batch: Overview["nextDebitBatch"] | undefined;
}) {
  const { currency, from, to, amount, invoices, debits, cards, days } = expected;
  const money = (value: number) => formatMoney(value, currency);
  const outstanding = owed?.outstanding;
  return (
    <Card
      title={currency === "ZAR" ? "Expected" : `Expected in ${currency}`}
      wide
      aside={<span className="tefo-quiet">{`${formatDayOfYear(from)} to ${formatDayOfYear(to)}`}</span>}
    >
      <div className="tefo-figure-row">
        <LargeMoney amount={amount} currency={currency} />
        <span className="tefo-quiet">if everyone pays on time</span>
      </div>
      {amount > 0 && (
        <>
          <Bars
            label={`Money expected from ${formatDay(from)} to ${formatDay(to)}, by week and kind.`}
            bars={weeksOf(days)}
            format={(value) => formatShort(value, currency)}
          />
          <Legend
            currency={currency}
            of={[
              { label: "Invoices due", series: 2, figure: invoices },
              { label: "Debit orders", series: 3, figure: debits },
              { label: "Subscriptions by card", series: 1, figure: cards },
            ]}
          />
        </>
      )}
      {outstanding && outstanding.count > 0 && (
        <p className="tefo-quiet tefo-reason">
          <TextLink {...pageOf(outstanding.list)} data-count={outstanding.count}>
            Outstanding <strong>{money(outstanding.amount)}</strong>
          </TextLink>{" "}
          on {counted(outstanding.count, "invoice")}, whenever due
        </p>
      )}
      {batch && <NextBatch batch={batch} />}
      <ByDay days={days} currency={currency} />
    </Card>
  );
}

/** What is expected on each day, and what is counted. */
function ByDay({ days, currency }: { readonly days: readonly Day[]; readonly currency: string }) {
  const money = (value: number) => formatMoney(value, currency);
  return (
    <details className="tefo-raw">
      <summary>View as table</summary>
      <p className="tefo-quiet">
        Invoices that are open and not overdue, on their due dates, without what a debit or card is collecting; batches
        without results on their action dates, mandates that are debited next, and renewals by debit order; renewals by
        card.
      </p>
      <Rows
        label="Expected"
        items={days.filter((day) => sumOfDay(day) > 0)}
        keyOf={({ day }) => day}
        none="Nothing is expected."
        columns={[
          { label: "Day", cell: ({ day }: Day) => formatDay(day) },
          { label: "Invoices", figures: true, cell: (day: Day) => money(day.invoices) },
          { label: "Debit orders", figures: true, cell: (day: Day) => money(day.debits) },
          { label: "Cards", figures: true, cell: (day: Day) => money(day.cards) },
        ]}
      />
    </details>
  );
}

const sumOfDay = ({ invoices, debits, cards }: Day): number => sumOf([invoices, debits, cards]);

/** The days as bars of a week each. */
function weeksOf(days: readonly Day[]): Bar[] {
  return Array.from({ length: Math.ceil(days.length / WEEK) }, (_, week) => {
    const own = days.slice(week * WEEK, (week + 1) * WEEK);
    const first = own[0]?.day ?? "";
    const of = (kind: "invoices" | "debits" | "cards") => sumOf(own.map((day) => day[kind]));
    return {
      at: formatDays(first, addDays(first, own.length - 1)),
      short: formatDayOfYear(first),
      parts: [
        { value: of("invoices"), series: 2 as const },
        { value: of("debits"), series: 3 as const },
        { value: of("cards"), series: 1 as const },
      ],
    };
  });
}

/** The batch that goes to the bank next, with the number that may be unpaid, which the batch's own page reads. */
function NextBatch({ batch }: { readonly batch: NonNullable<Overview["nextDebitBatch"]> }) {
  const { id, actionDate, count } = batch;
  const read = useRecord(["/debit-batches", id], () =>
    got(api.GET("/debit-batches/{id}", { params: { path: { id } } })),
  );
  const forecast = read.data?.forecast;
  return (
    <p className="tefo-quiet tefo-reason">
      <TextLink to={`/debit-batches/${id}`}>Debit batch of {formatDay(actionDate)}</TextLink>: {counted(count, "debit")}
      {forecast && `, of which about ${forecast.expectedUnpaid} may be unpaid`}
    </p>
  );
}
