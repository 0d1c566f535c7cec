import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { Card } from "../../components/card.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { useListAddress } from "../../components/list-address.ts";
import { ByMethod } from "../../components/received-by-method.tsx";
import { ReceivedFigures } from "../../components/received-figures.tsx";
import { ReportRange, useReportSpan } from "../../components/report-range.tsx";
import { formatDays } from "../../lib/time.ts";
import { Methods } from "./by-method.tsx";
import { UnpaidDebits } from "./unpaid-debits.tsx";

/** What was received in some days, and by which method and gateway it came. */
export const Page = () => (
  <Frame title="Payment report">
    <ReportRange />
    <Received />
  </Frame>
);

function Received() {
  const { from, to, by } = useReportSpan();
  const { currency } = useListAddress().filters;
  const days = { from, to, ...(currency && { currency }) };
  const range = useRecord(["/receipts", "received", { ...days, by }], () =>
    got(api.GET("/overview/received", { params: { query: { ...days, by } } })),
  );
  const methods = useRecord(["/receipts", "by-method", days], () =>
    got(api.GET("/overview/received-by-method", { params: { query: days } })),
  );
  const may = useMay();
  const unpaid = useRecord(
    ["/unpaid-debits", "report", to],
    () => got(api.GET("/overview/unpaid-debits-report", { params: { query: { to } } })),
    may("mandates:read"),
  );
  return (
    <div className="tefo-cards">
      <Card title="Received" wide aside={<span className="tefo-quiet">{formatDays(from, to)}</span>}>
        <Loaded of={range}>{(of) => <ReceivedFigures range={of} />}</Loaded>
      </Card>
      <Card title="By payment method">
        <Loaded of={methods}>{(of) => <ByMethod of={of} />}</Loaded>
      </Card>
      <Card title="Methods and gateways" wide="whole">
        <Loaded of={methods}>{(of) => <Methods of={of} />}</Loaded>
      </Card>
      {unpaid.data !== undefined && unpaid.data.presented.count > 0 && (
        <Card
          title="Unpaid debit orders"
          wide="whole"
          aside={<span className="tefo-quiet">90 days, {formatDays(unpaid.data.from, unpaid.data.to)}</span>}
        >
          <UnpaidDebits of={unpaid.data} />
        </Card>
      )}
    </div>
  );
}
