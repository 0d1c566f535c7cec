import { Alert } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { TextLink } from "../../components/link.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Money } from "../../components/values.tsx";
import { formatDay } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Batch = Shape<"DebitBatch">;

/** The merchant's unpaid debits beside the line that banks draw, and what this batch makes of them. */
export function Unpaid({ batch: { forecast, heldBack, status, results } }: { readonly batch: Batch }) {
  const may = useMay();
  const report = useRecord(
    ["/overview", "unpaid-debits-report"],
    () => got(api.GET("/overview/unpaid-debits-report", { params: { query: {} } })),
    may("mandates:read"),
  ).data;
  const { unpaidPercent, allUnpaidPercent, unpaidLimitPercent: limit, expectedUnpaid } = forecast;
  const waits = status === "open";
  const over = (waits ? unpaidPercent : (report?.unpaidPercent ?? unpaidPercent)) > limit;
  const disputedOver = forecast.disputedPercent > forecast.disputedLimitPercent;
  return (
    <Section title="Unpaid debits in 90 days">
      {report && (
        <>
          <div className="tefo-figure-row">
            <TextLink
              to="/unpaid-debits"
              search={{ from: report.from, to: report.to }}
              underline="never"
              className="tefo-plain"
            >
              <span className="tefo-large" data-over={report.unpaidPercent > limit}>
                {report.unpaidPercent} %
              </span>
            </TextLink>
            <span className={report.unpaidPercent > limit ? "tefo-bad" : "tefo-quiet"}>
              {report.unpaidPercent > limit
                ? `over the ${limit} % that banks allow`
                : `of at most ${limit} % that banks allow`}
            </span>
          </div>
          <Gauge percent={report.unpaidPercent} limit={limit} />
          <p className="tefo-quiet">
            {report.unpaid.count} of {counted(report.presented.count, "debit")} that banks decided since{" "}
            {formatDay(report.from)} came back unpaid.
          </p>
        </>
      )}
      <p>
        {waits
          ? `With this batch: ${unpaidPercent} %, as about ${expectedUnpaid} of its debits may come back.`
          : `Before this batch, about ${expectedUnpaid} of its debits were expected to come back; ${results.unpaid} did${results.pending > 0 ? " so far" : ""}.`}
        {waits &&
          heldBack.count > 0 &&
          ` With the ${counted(heldBack.count, "debit")} held back: ${allUnpaidPercent} %.`}{" "}
        Disputed: {forecast.disputedPercent} % of at most {forecast.disputedLimitPercent} %.
      </p>
      {(over || disputedOver) && (
        <Alert color="red" mt="md" title="More than the banks allow">
          {waits
            ? "Hold back the debits that came back last time, below, or pause their mandates, before you submit."
            : "Hold back the debits that keep coming back, or pause their mandates, before the next batch."}
        </Alert>
      )}
    </Section>
  );
}

/** A bar up to twice the limit, which stands in its middle. The words beside it say the same. */
const Gauge = ({ percent, limit }: { readonly percent: number; readonly limit: number }) => (
  <div className="tefo-gauge" aria-hidden="true">
    <div data-over={percent > limit} style={{ width: `${Math.min(100, (percent / (2 * limit)) * 100)}%` }} />
    <span>Limit {limit} %</span>
  </div>
);

/** What was expected, what banks paid and what came back, by day. */
export function Settlement({ batch: { settlement, currency, amount, forecast } }: { readonly batch: Batch }) {
  const sum = (of: "expectedAmount" | "paidAmount" | "returnedAmount") =>
    settlement.reduce((all, day) => all + day[of], 0);
  const money = (value: number) => <Money amount={value} currency={currency} />;
  return (
    <Section title="Expected and actual">
      <p className="tefo-quiet">
        Of {money(amount)}, {money(forecast.expectedUnpaidAmount)} may come back unpaid, by how each mandate's earlier
        debits ended. Debits settle two business days after the day on which banks collect.
      </p>
      <Rows
        label="Expected and actual"
        items={settlement}
        keyOf={({ day }) => day}
        none="Nothing to settle"
        columns={[
          { label: "Day", cell: ({ day }) => formatDay(day) },
          { label: "Expected", figures: true, cell: ({ expectedAmount }) => money(expectedAmount) },
          { label: "Paid", figures: true, cell: ({ paidAmount }) => money(paidAmount) },
          { label: "Came back", figures: true, cell: ({ returnedAmount }) => money(returnedAmount) },
        ]}
        {...(settlement.length > 1
          ? {
              foot: [
                ["Expected", money(sum("expectedAmount"))],
                ["Paid", money(sum("paidAmount"))],
                ["Came back", money(sum("returnedAmount"))],
              ] as const,
            }
          : {})}
      />
    </Section>
  );
}
