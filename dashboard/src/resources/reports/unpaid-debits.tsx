import type { Shape } from "../../api/client.ts";
import { Shares } from "../../components/card.tsx";
import { TextLink } from "../../components/link.tsx";
import { Lines } from "../../components/plot.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDayOfYear, formatDays } from "../../lib/time.ts";
import { reasonOf } from "../../lib/unpaid.ts";
import { counted } from "../../lib/words.ts";

type Report = Shape<"UnpaidDebitsReport">;
type Week = Report["series"][number];

/** How many debit orders came back unpaid, week by week, beside the line that banks draw. */
export function UnpaidDebits({ of }: { readonly of: Report }) {
  const { from, to, presented, unpaid, disputed, currency, unpaidPercent, unpaidLimitPercent: limit } = of;
  const money = (amount: number) => formatMoney(amount, currency);
  // A week without results says nothing.
  const weeks = of.series.filter((week) => week.presented.count > 0);
  const every = Math.ceil(weeks.length / 4);
  return (
    <>
      <div className="tefo-figure-row">
        <TextLink to="/unpaid-debits" search={{ from, to }} underline="never" className="tefo-plain">
          <span className="tefo-large" data-over={unpaidPercent > limit}>
            {unpaidPercent} %
          </span>
        </TextLink>
        <span className={unpaidPercent > limit ? "tefo-bad" : "tefo-quiet"}>
          {unpaidPercent > limit ? `over the ${limit} % that banks allow` : `of at most ${limit} % that banks allow`}
        </span>
      </div>
      <p className="tefo-quiet tefo-reason">
        {unpaid.count} of {counted(presented.count, "debit order")}, {money(unpaid.amount)} of {money(presented.amount)}{" "}
        ({of.unpaidAmountPercent} %), came back unpaid
        {disputed.count > 0 &&
          `; ${disputed.count} (${of.disputedPercent} % of at most ${of.disputedLimitPercent} %) were disputed later`}
      </p>
      <Lines
        label={`Debit orders that came back unpaid, in percent of each week's. In all ${unpaidPercent} % of at most ${limit} %.`}
        values={weeks.map((week) => week.unpaidPercent)}
        before={weeks.map(() => limit)}
        beforeName="Limit"
        labels={weeks.flatMap((week, at) =>
          at % every === 0 ? [[at, formatDayOfYear(week.from)] as [number, string]] : [],
        )}
        format={(percent) => `${percent} %`}
      />
      {of.reasons.length > 0 && (
        <Shares
          of={of.reasons.map(({ code, reason, amount, count }) => ({
            label: reasonOf({ unpaidReason: reason, unpaidCode: code }) ?? "No reason given",
            value: amount,
            count,
            series: 3,
          }))}
          format={money}
        />
      )}
      <details className="tefo-raw">
        <summary>View as table</summary>
        <p className="tefo-quiet">
          Debit orders with an action date in the 90 days up to the last one, once the bank has decided them; those that
          were withdrawn or cancelled do not count. The banks' limit is about their number.
        </p>
        <Rows
          label="Unpaid debit orders by week"
          items={weeks}
          keyOf={(week) => week.from}
          none="No results"
          columns={[
            { label: "Week", cell: (week: Week) => formatDays(week.from, week.to) },
            { label: "Debit orders", figures: true, cell: (week: Week) => week.presented.count },
            { label: "Unpaid", figures: true, cell: (week: Week) => week.unpaid.count },
            { label: "Unpaid amount", figures: true, cell: (week: Week) => money(week.unpaid.amount) },
            { label: "Share", figures: true, cell: (week: Week) => `${week.unpaidPercent} %` },
          ]}
        />
      </details>
    </>
  );
}
