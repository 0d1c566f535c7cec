import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { useListAddress } from "../../components/list-address.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Time, Words } from "../../components/values.tsx";
import { formatMoney, sumOf } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { counted, words } from "../../lib/words.ts";

/** What each kind is called. */
const KINDS = {
  payment: "Payment",
  bank_line: "Bank line",
  recorded: "Recorded",
  refund: "Refund",
  reversal: "Reversal",
} as const;
const CAME = ["payment", "bank_line", "recorded"];

/** The list of what was received, with its sum. */
export const Page = () => (
  <ResourceList
    resource="receipts"
    title="Received"
    path="/receipts"
    exported="/exports/receipts.csv"
    searchable={false}
    linkOf={({ path }) => path}
    filters={[
      {
        name: "kind",
        label: "Type",
        options: [
          { value: CAME.join(","), label: "Money in" },
          ...Object.entries(KINDS).map(([value, label]) => ({ value, label })),
        ],
      },
      { name: "from", label: "From", day: true },
      { name: "to", label: "To", day: true },
    ]}
    summary={<Sum />}
    columns={[
      {
        name: "customer",
        label: "Customer",
        cell: ({ customer, reference, kind }) =>
          customer ? <RecordName id={customer.id} /> : <Words of={reference ?? KINDS[kind]} />,
      },
      { name: "kind", label: "Type", cell: ({ kind }) => KINDS[kind] },
      { name: "day", label: "Date", cell: ({ day }) => <Time at={day} /> },
      { name: "method", label: "Payment method", cell: ({ method }) => <Words of={method && words(method)} /> },
      { name: "reference", label: "Reference", cell: ({ reference }) => <Words of={reference} /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "Nothing received this month",
      text: "Money from your customers appears here on the day it came: paid through a gateway, matched on a bank statement, or recorded by hand. Choose other days to see more.",
    }}
  />
);

/** The sum of the whole view, whatever page of it is shown. */
function Sum() {
  const may = useMay();
  const { from, to, currency, kind, customerId, method, gateway } = useListAddress().filters;
  const query = { ...(from && { from }), ...(to && { to }), ...(currency && { currency }) };
  const range = useRecord(
    ["/receipts", "by-method", query],
    () => got(api.GET("/overview/received-by-method", { params: { query } })),
    may("overview:read") && customerId === undefined,
  );
  if (!range.data) return null;
  const ways = range.data.methods.filter(
    (way) => (method === undefined || way.method === method) && (gateway === undefined || way.gateway === gateway),
  );
  const total = (of: "gross" | "refunded" | "reversed" | "net") => sumOf(ways.map((way) => way[of]));
  const money = (of: "gross" | "refunded" | "reversed" | "net") => formatMoney(total(of), range.data.currency);
  const payments = ways.reduce((sum, way) => sum + way.payments, 0);
  if (kind !== undefined && kind !== CAME.join(",") && kind !== "refund" && kind !== "reversal") return null;
  const sums: Readonly<Record<string, string>> = {
    [CAME.join(",")]: `${money("gross")} gross, ${counted(payments, "payment")}`,
    refund: `${money("refunded")} refunded`,
    reversal: `${money("reversed")} reversed`,
  };
  return (
    <p className="tefo-sum-line">
      <b>
        {kind === undefined
          ? `${money("net")} net: ${money("gross")} gross, less ${money("refunded")} refunds and ${money("reversed")} reversals`
          : sums[kind]}
      </b>
      <span className="tefo-quiet">{`${formatDay(range.data.from)} to ${formatDay(range.data.to)}`}</span>
    </p>
  );
}
