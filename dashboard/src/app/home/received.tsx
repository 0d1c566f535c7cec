import { SegmentedControl, Skeleton } from "@mantine/core";
import { useState } from "react";
import { api, got } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay } from "../../api/session.ts";
import { Card } from "../../components/card.tsx";
import { TextLink } from "../../components/link.tsx";
import { Failure } from "../../components/notice.tsx";
import { Lines } from "../../components/plot.tsx";
import { ByMethod } from "../../components/received-by-method.tsx";
import { ReceivedFigures, type ReceivedRange, type ReceivedSpan } from "../../components/received-figures.tsx";
import { Words } from "../../components/values.tsx";
import { formatMoney, formatShort, sumOf } from "../../lib/money.ts";
import { PERIODS, type Span, THIS_MONTH } from "../../lib/periods.ts";
import { addDays, addMonths, daysBetween, formatDay, formatDayOfYear, formatMonth } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";
import { MoneyPlaces } from "./money-places.tsx";

/** A statement that ends longer ago is called old. */
const STATEMENT_DAYS_MAX = 31;

const useReceived = (query: Span & { readonly currency: string }) =>
  useRecord(["/receipts", "received", query], () => got(api.GET("/overview/received", { params: { query } })));

/** What came in, less what went back, by the day on which the money came. */
export function Received({
  today,
  currencies,
  toMatch,
}: {
  readonly today: string;
  /** The number of bank lines that are not matched. */
  readonly toMatch: number;
  /** The organisation's first. */
  readonly currencies: readonly [string, ...string[]];
}) {
  const [period, setPeriod] = useState(THIS_MONTH);
  const [currency, setCurrency] = useState(currencies[0]);
  const range = useReceived({ ...period.span(today), currency });
  return (
    <Card
      title="Received"
      wide
      aside={
        <span className="tefo-choice-row">
          {currencies.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="Currency"
              value={currency}
              onChange={setCurrency}
              data={[...currencies]}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Period"
            value={period.label}
            onChange={(label) => setPeriod(PERIODS.find((one) => one.label === label) ?? THIS_MONTH)}
            data={PERIODS.map(({ label }) => label)}
          />
        </span>
      }
    >
      {range.isError && <Failure error={range.error} again={() => void range.refetch()} />}
      {range.isPending && <Skeleton height={300} aria-busy="true" aria-label="Loading" />}
      {range.data && (period === THIS_MONTH ? <Month range={range.data} /> : <ReceivedFigures range={range.data} />)}
      <div className="tefo-beside">
        <div>
          <MoneyPlaces currency={currency} wanted={!range.isPending} />
          <Reconciled today={today} toMatch={toMatch} />
        </div>
        {range.data && range.data.gross > 0 && <Methods of={range.data} />}
      </div>
    </Card>
  );
}

/** How the money came. */
function Methods({ of: { from, to, currency } }: { readonly of: ReceivedRange }) {
  const query = { from, to, currency };
  const methods = useRecord(["/receipts", "by-method", query], () =>
    got(api.GET("/overview/received-by-method", { params: { query } })),
  );
  return methods.data ? (
    <section aria-label="By payment method">
      <h3 className="tefo-quiet tefo-reason">By payment method</h3>
      <ByMethod of={methods.data} />
    </section>
  ) : null;
}

/** The proof beneath the figures: up to which day the bank's statements are here, and how many of their lines are not matched. */
function Reconciled({ today, toMatch }: { readonly today: string; readonly toMatch: number }) {
  const may = useMay();
  const { plan } = useActing().membership;
  const asked = plan.features.includes("reconciliation") && may("reconciliation:read");
  const runs = useList("/reconciliation/runs", { source: "csv_upload", limit: "20" }, asked);
  const [latest] = (runs.data?.data ?? [])
    .filter(({ status, withdrawnAt }) => status === "completed" && !withdrawnAt)
    .toSorted((one, other) => other.periodEnd.localeCompare(one.periodEnd));
  if (!latest) return null;
  const isOld = daysBetween(latest.periodEnd, today) > STATEMENT_DAYS_MAX;
  return (
    <p className="tefo-reason tefo-agreed" data-tone={isOld ? "act" : "good"}>
      <TextLink to={toMatch > 0 ? "/reconciliation/to-match" : "/reconciliation/runs"} className="tefo-plain">
        {isOld ? (
          `No bank statement since ${formatDay(latest.periodEnd)}`
        ) : (
          <>
            Reconciled with <Words of={latest.account} /> to {formatDay(latest.periodEnd)}
            {toMatch > 0 && `, except ${counted(toMatch, "line")}`}
          </>
        )}
      </TextLink>
    </p>
  );
}

/** This month, beside the whole month before, and compared with its same days. */
function Month({ range }: { readonly range: ReceivedRange }) {
  const { from, to, currency } = range;
  const past = useReceived({ from: addMonths(from, -1), to: addDays(from, -1), by: "day", currency });
  const same = past.data?.series.slice(0, range.series.length) ?? [];
  const before = past.data && {
    from: past.data.from,
    to: addDays(past.data.from, same.length - 1),
    net: sumOf(same.map(({ net }) => net)),
    series: past.data.series,
  };
  return (
    <ReceivedFigures range={before ? { ...range, before: { ...range.before, ...before } } : range}>
      {before && (
        <Lines
          label={`Money received, added up day by day, beside the month before. On ${formatDay(to)} ${formatMoney(range.net, currency)}.`}
          values={added(range.series)}
          before={added(before.series)}
          beforeName={formatMonth(before.from)}
          labels={axisOf(range, before.series.length)}
          format={(amount) => formatShort(amount, currency)}
        />
      )}
    </ReceivedFigures>
  );
}

/** Each day with all before it. */
const added = (series: readonly ReceivedSpan[]): number[] => {
  let sum = 0;
  return series.map(({ net }) => {
    sum = sumOf([sum, net]);
    return sum;
  });
};

/** Days below the line: the first, the present one, and every seventh with room beside them. */
function axisOf({ from, to }: ReceivedRange, before: number): [number, string][] {
  const last = daysBetween(from, to);
  const shown = [0, 7, 14, 21, 28].filter((at) => at < before && (at === 0 || Math.abs(at - last) > 3));
  return [...new Set([...shown, last])].toSorted((a, b) => a - b).map((at) => [at, formatDayOfYear(addDays(from, at))]);
}
