import type { Shape } from "../../api/client.ts";
import { TextLink } from "../../components/link.tsx";
import { receiptsByWay } from "../../components/received-by-method.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { Money } from "../../components/values.tsx";
import { methodWords } from "../../lib/methods.ts";

type Report = Shape<"ReceivedByMethod">;
type Way = Report["methods"][number];

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
              way === all ? <b>All methods</b> : <TextLink {...receiptsByWay(of, way)}>{methodWords(way)}</TextLink>,
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
