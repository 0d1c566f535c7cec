import { Group, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card, LargeMoney, Shares } from "../../components/card.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { useListAddress } from "../../components/list-address.ts";
import { Lines, Steps } from "../../components/plot.tsx";
import { ReportRange, useReportSpan } from "../../components/report-range.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { formatMoney, formatShort } from "../../lib/money.ts";
import { MOVEMENT_KINDS, MOVEMENTS } from "../../lib/movements.ts";
import { MONTHS, YEAR } from "../../lib/periods.ts";
import { formatDay, formatDays, formatMonth } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";
import { Cohorts } from "./cohorts.tsx";

type Report = Shape<"RevenueReport">;
type Span = Report["series"][number];

/** How recurring revenue moved, what stopped, and what became of collections that failed. */
export const Page = () => (
  <Frame title="Subscription report">
    <ReportRange periods={MONTHS} initial={YEAR} divided={false} />
    <Cards />
  </Frame>
);

function Cards() {
  const { from, to } = useReportSpan(YEAR);
  const { currency } = useListAddress().filters;
  const query = { from, to, ...(currency && { currency }) };
  const report = useRecord(["/subscription-movements", "report", query], () =>
    got(api.GET("/overview/revenue-report", { params: { query } })),
  );
  const recovery = useRecord(["/invoices", "recovery", query], () =>
    got(api.GET("/overview/recovery-report", { params: { query } })),
  );
  return (
    <Loaded of={report}>
      {(of) => (
        <div className="tefo-cards">
          <Revenue of={of} />
          <Churn of={of} />
          <Changes of={of} />
          <Cohorts query={query} />
          <Card
            title="Failed collections"
            wide="whole"
            aside={<span className="tefo-quiet">{formatDays(from, to)}</span>}
          >
            <Loaded of={recovery}>{(found) => <Recovery of={found} />}</Loaded>
          </Card>
        </div>
      )}
    </Loaded>
  );
}

const nameOf = ({ from }: Span): string => formatMonth(from);
/** Months below a line, every so many that their names do not touch. */
const axisOf = ({ series }: Report): [number, string][] => {
  const every = Math.ceil(series.length / 4);
  return series.flatMap((span, at) => (at % every === 0 ? [[at, nameOf(span).slice(0, 3)] as [number, string]] : []));
};

/** Recurring revenue at the end of each month. */
const Revenue = ({ of }: { readonly of: Report }) => (
  <Card title="Monthly recurring revenue" wide aside={<span className="tefo-quiet">excl. VAT</span>}>
    <div className="tefo-figure-row">
      <LargeMoney amount={of.closing.amount} currency={of.currency} />
      <span className="tefo-quiet">
        of {counted(of.closing.count, "subscription")} on {formatDay(of.to)};{" "}
        {formatMoney(of.opening.amount, of.currency)} before {formatDay(of.from)}
      </span>
    </div>
    <Lines
      label={`Monthly recurring revenue at the end of each month. On ${formatDay(of.to)} ${formatMoney(of.closing.amount, of.currency)}.`}
      values={of.series.map(({ closing }) => closing.amount)}
      before={[]}
      beforeName=""
      labels={axisOf(of)}
      format={(amount) => formatShort(amount, of.currency)}
    />
  </Card>
);

/** What stopped in each month, of what there was at its beginning. */
function Churn({ of }: { readonly of: Report }) {
  const month = of.series.at(-1) ?? of;
  const ofAll = of.churn.subscriptionsPercent;
  return (
    <Card title={`Churn in ${formatMonth(month.from)}`}>
      <div className="tefo-figure-row">
        <span className="tefo-large">{percentOf(month.churn.subscriptionsPercent)}</span>
        <span className="tefo-quiet">
          {month.moved.churn.count} of {counted(month.opening.count, "subscription")}
        </span>
      </div>
      <p className="tefo-quiet tefo-reason">
        {percentOf(month.churn.revenuePercent)} of the revenue
        {ofAll !== null &&
          `; ${ofAll} % of the subscriptions before ${formatDay(of.from)} stopped in all of these days`}
      </p>
      <Lines
        label="Subscriptions that stopped in each month, in percent of those at its beginning, and their revenue."
        values={of.series.map(({ churn }) => churn.subscriptionsPercent ?? 0)}
        before={of.series.map(({ churn }) => churn.revenuePercent ?? 0)}
        beforeName="Revenue"
        labels={axisOf(of)}
        format={(percent) => `${percent} %`}
      />
    </Card>
  );
}

const percentOf = (percent: number | null): string => `${percent ?? 0} %`;

const ALL = "all";

/** The list of what moved recurring revenue in some days. */
const movementsOf = ({ currency }: Report, kind: string, { from, to }: Span) => ({
  to: "/subscription-movements",
  search: { kind, from, to, currency },
});

/** What moved recurring revenue in all of these days, or in a month of them. */
function Changes({ of }: { readonly of: Report }) {
  const [month, setMonth] = useState(ALL);
  const span: Span = of.series.find(({ from }) => from === month) ?? of;
  const money = (amount: number) => formatMoney(amount, of.currency);
  const short = (amount: number) => formatShort(amount, of.currency);
  return (
    <Card
      title={`What changed, ${formatDays(span.from, span.to)}`}
      wide="whole"
      aside={
        <NativeSelect
          size="xs"
          aria-label="Month"
          data={[
            { value: ALL, label: "All of it" },
            ...of.series.map((one) => ({ value: one.from, label: nameOf(one) })),
          ]}
          value={span === of ? ALL : month}
          onChange={({ currentTarget }) => setMonth(currentTarget.value)}
        />
      }
    >
      <Steps
        label={`Recurring revenue from ${money(span.opening.amount)} to ${money(span.closing.amount)}.`}
        first={{ at: "Opening", value: span.opening.amount }}
        steps={MOVEMENT_KINDS.map((kind) => ({ at: MOVEMENTS[kind], value: span.moved[kind].amount }))}
        last={{ at: "Closing", value: span.closing.amount }}
        format={short}
      />
      <Group gap="lg" className="tefo-legend">
        {MOVEMENT_KINDS.filter((kind) => span.moved[kind].count > 0).map((kind) => (
          <TextLink key={kind} {...movementsOf(of, kind, span)} underline="never" className="tefo-plain">
            {MOVEMENTS[kind]} <span className="tefo-faint">{span.moved[kind].count}</span>{" "}
            <b className="tefo-figures">{money(span.moved[kind].amount)}</b>
          </TextLink>
        ))}
      </Group>
      <ByMonth of={of} />
    </Card>
  );
}

/** What moved recurring revenue month by month, and what is counted. */
function ByMonth({ of }: { readonly of: Report }) {
  const money = (amount: number) => formatMoney(amount, of.currency);
  return (
    <details className="tefo-raw">
      <summary>View as table</summary>
      <p className="tefo-quiet">
        What the plans and add-ons of active and past due subscriptions cost a month, excl. VAT, coupons, discounts and
        usage. Opening and all changes of a month are its closing. Churned are subscriptions that were paused, cancelled
        or expired, of those at the beginning.
      </p>
      <Rows
        label="Changes by month"
        items={of.series}
        keyOf={({ from }) => from}
        none="No months"
        columns={[
          { label: "Month", cell: (one: Span) => nameOf(one) },
          { label: "Opening", figures: true, cell: ({ opening }: Span) => money(opening.amount) },
          ...MOVEMENT_KINDS.map((kind) => ({
            label: MOVEMENTS[kind],
            figures: true,
            cell: (one: Span) =>
              one.moved[kind].count === 0 ? null : (
                <TextLink {...movementsOf(of, kind, one)} className="tefo-plain">
                  {money(one.moved[kind].amount)}
                </TextLink>
              ),
          })),
          { label: "Closing", figures: true, cell: ({ closing }: Span) => money(closing.amount) },
          { label: "Churn", figures: true, cell: ({ churn }: Span) => percentOf(churn.subscriptionsPercent) },
        ]}
      />
    </details>
  );
}

/** What became of the invoices whose collection failed. */
function Recovery({ of }: { readonly of: Shape<"RecoveryReport"> }) {
  const { failed, retried, recovered, retrying, lost, currency } = of;
  if (failed.count === 0) return <p className="tefo-quiet">No collection failed in these days</p>;
  return (
    <>
      <Shares
        of={[
          { label: "Failed", value: failed.amount, count: failed.count, series: 5 },
          { label: "Of these retried", value: retried.amount, count: retried.count, series: 5 },
          { label: "Recovered", value: recovered.amount, count: recovered.count, series: 1 },
          { label: "Still retrying or open", value: retrying.amount, count: retrying.count, series: 5 },
          { label: "Lost", value: lost.amount, count: lost.count, series: 5 },
        ]}
        format={(amount) => formatMoney(amount, currency)}
      />
      <p className="tefo-quiet tefo-reason">
        Invoices of subscriptions whose collection failed first in these days, with their totals incl. VAT. Recovered
        are those that were paid since, however; lost those whose retries ended, or that were cancelled, without
        payment. Failed is recovered, open and lost together.
      </p>
    </>
  );
}
