import { SegmentedControl, Skeleton } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Icon } from "../../components/icon.tsx";
import { TextLink } from "../../components/link.tsx";
import { Failure } from "../../components/notice.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { formatMoney, formatShort, sumOf } from "../../lib/money.ts";
import {
  addDays,
  addMonths,
  daysBetween,
  formatDay,
  formatDayOfYear,
  formatDays,
  formatMonth,
} from "../../lib/time.ts";
import { Card, LargeMoney } from "./card.tsx";
import { Bars, Lines } from "./plot.tsx";

type Range = Shape<"ReceivedRange">;
type Span = Range["series"][number];

const PERIODS = [
  { value: "week", label: "7 days" },
  { value: "month", label: "This month" },
  { value: "quarter", label: "90 days" },
  { value: "year", label: "12 months" },
] as const;
type Period = (typeof PERIODS)[number]["value"];

/** The days of a period that ends today, and how they are divided. */
function spanOf(period: Period, today: string): { from: string; to: string; by: "day" | "week" | "month" } {
  if (period === "week") return { from: addDays(today, -6), to: today, by: "day" };
  if (period === "month") return { from: `${today.slice(0, 8)}01`, to: today, by: "day" };
  if (period === "quarter") return { from: addDays(today, -89), to: today, by: "week" };
  return { from: addDays(addMonths(today, -12), 1), to: today, by: "month" };
}

const useReceived = (query: { from: string; to: string; by: "day" | "week" | "month"; currency: string }) =>
  useRecord(["/receipts", "received", query], () => got(api.GET("/overview/received", { params: { query } })));

/** What came in, less what went back, by the day on which the money came. */
export function Received({
  today,
  currencies,
}: {
  readonly today: string;
  /** The organisation's first. */
  readonly currencies: readonly [string, ...string[]];
}) {
  const [period, setPeriod] = useState<Period>("month");
  const [currency, setCurrency] = useState(currencies[0]);
  const range = useReceived({ ...spanOf(period, today), currency });
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
            value={period}
            onChange={(value) => setPeriod(value as Period)}
            data={PERIODS.map((one) => ({ ...one }))}
          />
        </span>
      }
    >
      {range.isError && <Failure error={range.error} again={() => void range.refetch()} />}
      {range.isPending && <Skeleton height={300} aria-busy="true" aria-label="Loading" />}
      {range.data && (period === "month" ? <Month range={range.data} /> : <Figures range={range.data} />)}
    </Card>
  );
}

/** This month, beside the whole month before, and compared with its same days. */
function Month({ range }: { readonly range: Range }) {
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
    <Figures range={before ? { ...range, before: { ...range.before, ...before } } : range}>
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
    </Figures>
  );
}

/** Each day with all before it. */
const added = (series: readonly Span[]): number[] => {
  let sum = 0;
  return series.map(({ net }) => {
    sum = sumOf([sum, net]);
    return sum;
  });
};

/** Days below the line: the first, the present one, and every seventh with room beside them. */
function axisOf({ from, to }: Range, before: number): [number, string][] {
  const last = daysBetween(from, to);
  const shown = [0, 7, 14, 21, 28].filter((at) => at < before && (at === 0 || Math.abs(at - last) > 3));
  return [...new Set([...shown, last])].toSorted((a, b) => a - b).map((at) => [at, formatDayOfYear(addDays(from, at))]);
}

/** The figures of a period, and its drawing: what is given, else bars. */
function Figures({ range, children }: { readonly range: Range; readonly children?: React.ReactNode }) {
  const { from, to, currency, gross, refunded, reversed, net, payments } = range;
  const link = (kind?: string) => ({ to: "/receipts", search: { from, to, currency, ...(kind ? { kind } : {}) } });
  const money = (amount: number) => formatMoney(amount, currency);
  return (
    <>
      <div className="tefo-figure-row">
        <TextLink {...link()} underline="never" className="tefo-plain">
          <LargeMoney amount={net} currency={currency} />
        </TextLink>
        <Change range={range} />
      </div>
      <p className="tefo-quiet tefo-reason">
        <TextLink {...link("payment,bank_line,recorded")} className="tefo-plain">
          Gross {money(gross)}
        </TextLink>
        , less{" "}
        <TextLink {...link("refund")} className="tefo-plain">
          refunds {money(refunded)}
        </TextLink>{" "}
        and{" "}
        <TextLink {...link("reversal")} className="tefo-plain">
          reversals {money(reversed)}
        </TextLink>
      </p>
      {gross === 0 && net === 0 && range.before.gross === 0 ? (
        <p className="tefo-reason">Nothing yet. Send an invoice or a payment link, and what is paid shows here.</p>
      ) : (
        (children ?? (
          <Bars
            label={`Money received from ${formatDay(from)} to ${formatDay(to)}, ${money(net)}.`}
            bars={range.series.map((span) => ({
              at: nameOf(span, range.by),
              short: range.by === "month" ? formatMonth(span.from).slice(0, 3) : formatDayOfYear(span.from),
              parts: [{ value: span.net, series: 1 as const }],
            }))}
            format={(amount) => formatShort(amount, currency)}
          />
        ))
      )}
      <details className="tefo-raw">
        <summary>View as table</summary>
        <p className="tefo-quiet">
          All money by the day it came: paid by gateway or debit order, matched on a bank statement, approved EFT, or
          recorded by hand, less refunds and reversals on the day they were made. Credit notes, used credit, transfers
          and unmatched lines do not count. {payments} payments.
        </p>
        <Rows
          label="Received"
          items={range.series.filter((span) => span.gross !== 0 || span.net !== 0)}
          keyOf={(span) => span.from}
          none="Nothing was received."
          columns={[
            { label: "Days", cell: (span: Span) => nameOf(span, range.by) },
            { label: "Gross", figures: true, cell: (span: Span) => money(span.gross) },
            { label: "Refunds", figures: true, cell: (span: Span) => money(span.refunded) },
            { label: "Reversals", figures: true, cell: (span: Span) => money(span.reversed) },
            { label: "Net", figures: true, cell: (span: Span) => money(span.net) },
          ]}
        />
      </details>
    </>
  );
}

const nameOf = ({ from, to }: Span, by: Range["by"]): string =>
  by === "month" ? formatMonth(from) : by === "week" ? formatDays(from, to) : formatDayOfYear(from);

/** How much more or less it is than in the days before; nothing where there is nothing to compare with. */
function Change({ range: { net, before, currency } }: { readonly range: Range }) {
  if (before.net <= 0) return null;
  const percent = Math.abs(((net - before.net) / before.net) * 100).toFixed(1);
  const more = net >= before.net;
  return (
    <>
      <span className="tefo-change" data-more={more}>
        <Icon name={more ? "more-than" : "less-than"} size={13} /> {percent} %
        <span className="tefo-hidden">{more ? " more" : " less"}</span>
      </span>
      <span className="tefo-quiet">
        vs {formatDays(before.from, before.to)}, {formatMoney(before.net, currency)}
      </span>
    </>
  );
}
