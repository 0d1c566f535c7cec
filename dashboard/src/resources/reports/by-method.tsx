import type { Shape } from "../../api/client.ts";
import { Shares } from "../../components/card.tsx";
import { TextLink } from "../../components/link.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { Money } from "../../components/values.tsx";
import { methodWords, seriesOf } from "../../lib/methods.ts";
import { formatMoney } from "../../lib/money.ts";

type Report = Shape<"ReceivedByMethod">;
type Way = Report["methods"][number];

/** The receipts of a method and gateway in the report's days. */
const receiptsOf = ({ from, to, currency }: Report, { method, gateway }: Way) => ({
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
        link: receiptsOf(of, way),
      }))}
      format={(amount) => formatMoney(amount, of.currency)}
    />
  );
}

/** What came and went by each method and gateway, with fees, and the sum of all. */
export function Methods({ of }: { readonly of: Report }) {
  const money = (amount: number) => (amount === 0 ? null : <Money amount={amount} currency={of.currency} />);
  const all = { ...of, method: "", gateway: null } satisfies Way;
  return (
    <>
      <Rows
        label="Methods and gateways"
        items={of.methods.length > 0 ? [...of.methods, all] : []}
        keyOf={({ method, gateway }) => `${method} ${gateway}`}
        none="Nothing received in these days"
        columns={[
          {
            label: "Payment method",
            cell: (way: Way) =>
              way === all ? <b>All methods</b> : <TextLink {...receiptsOf(of, way)}>{methodWords(way)}</TextLink>,
          },
          { label: "Payments", figures: true, cell: ({ payments }: Way) => payments },
          { label: "Gross", figures: true, cell: ({ gross }: Way) => money(gross) },
          { label: "Refunds", figures: true, cell: ({ refunded }: Way) => money(refunded) },
          { label: "Reversals", figures: true, cell: ({ reversed }: Way) => money(reversed) },
          { label: "Net", figures: true, cell: ({ net }: Way) => <b>{money(net)}</b> },
          { label: "Gateway fees", figures: true, cell: ({ fees }: Way) => money(fees) },
        ]}
      />
      <p className="tefo-quiet tefo-reason">
        Money counts by the day it came, with the refunds and reversals of the same days; the sum is what Received says.
        Refunds by hand left your bank, so they stand apart from their gateways. Fees are what gateways kept of these
        payments, as far as they told; they are not taken off.
      </p>
    </>
  );
}
