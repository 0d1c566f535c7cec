import type { Shape } from "../api/client.ts";
import { methodWords, seriesOf } from "../lib/methods.ts";
import { formatMoney } from "../lib/money.ts";
import { Shares } from "./card.tsx";

type Report = Shape<"ReceivedByMethod">;
type Way = Report["methods"][number];

/** The receipts of a method and gateway in the report's days. */
export const receiptsByWay = ({ from, to, currency }: Report, { method, gateway }: Way) => ({
  to: "/receipts",
  search: { from, to, currency, method, ...(gateway !== null && { gateway }) },
});

/** What came in by each method, as bars. */
export function ByMethod({ of }: { readonly of: Report }) {
  const came = of.methods.filter(({ gross }) => gross > 0);
  if (came.length === 0) return <p className="tefo-quiet">Nothing received in these days</p>;
  return (
    <Shares
      of={came.map((way) => ({
        label: methodWords(way),
        value: way.gross,
        count: way.payments,
        series: seriesOf(way),
        link: receiptsByWay(of, way),
      }))}
      format={(amount) => formatMoney(amount, of.currency)}
    />
  );
}
