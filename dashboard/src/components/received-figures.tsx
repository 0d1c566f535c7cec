import type { ReactNode } from "react";
import type { Shape } from "../api/client.ts";
import { formatMoney, formatShort } from "../lib/money.ts";
import { formatDay, formatDayOfYear, formatDays, formatMonth } from "../lib/time.ts";
import { LargeMoney } from "./card.tsx";
import { Icon } from "./icon.tsx";
import { TextLink } from "./link.tsx";
import { Bars } from "./plot.tsx";
import { Rows } from "./resource-page.tsx";

export type ReceivedRange = Shape<"ReceivedRange">;
export type ReceivedSpan = ReceivedRange["series"][number];
type Span = ReceivedSpan;

/** The figures of a period, and its drawing: what is given, else bars. */
export function ReceivedFigures({ range, children }: { readonly range: ReceivedRange; readonly children?: ReactNode }) {
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

const nameOf = ({ from, to }: Span, by: ReceivedRange["by"]): string =>
  by === "month" ? formatMonth(from) : by === "week" ? formatDays(from, to) : formatDayOfYear(from);

/** How much more or less it is than in the days before; nothing where there is nothing to compare with. */
function Change({ range: { net, before, currency } }: { readonly range: ReceivedRange }) {
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
