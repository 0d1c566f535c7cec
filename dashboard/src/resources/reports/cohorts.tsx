import { Box, SegmentedControl, Table } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card } from "../../components/card.tsx";
import { Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatMonth } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

type Report = Shape<"CohortReport">;
type Cohort = Report["cohorts"][number];
type Month = Cohort["months"][number];

const MEASURES = ["Subscriptions", "Revenue"] as const;
type Measure = (typeof MEASURES)[number];

const percentOf = (of: Month, measure: Measure): number =>
  measure === "Revenue" ? of.revenuePercent : of.subscriptionsPercent;

/** The subscriptions that started in each month, and the share of them that is left at the end of each month since. */
export function Cohorts({ query }: { readonly query: { readonly from: string; readonly to: string } }) {
  const report = useRecord(["/subscription-movements", "cohorts", query], () =>
    got(api.GET("/overview/cohort-report", { params: { query } })),
  );
  const [measure, setMeasure] = useState<Measure>("Subscriptions");
  return (
    <Card
      title="Retention by start month"
      wide="whole"
      aside={
        <SegmentedControl
          size="xs"
          className="tefo-period"
          aria-label="What is retained"
          data={[...MEASURES]}
          value={measure}
          onChange={(value) => setMeasure(MEASURES.find((one) => one === value) ?? "Subscriptions")}
        />
      }
    >
      <Loaded of={report}>
        {(of) =>
          of.cohorts.length === 0 ? (
            <p className="tefo-quiet">No subscription started in these months</p>
          ) : (
            <Grid of={of} measure={measure} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** The months in which subscriptions started, downwards, and the months since, to the right. */
function Grid({ of, measure }: { readonly of: Report; readonly measure: Measure }) {
  const most = Math.max(...of.cohorts.map(({ months }) => months.length));
  const since = Array.from({ length: most }, (_, month) => month);
  return (
    <>
      <Box component="section" className="tefo-cohorts" tabIndex={0} aria-label={`${measure} by start month`}>
        <Table aria-label={`${measure} retained by start month`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Started</Table.Th>
              <Table.Th scope="col" data-figures>
                {measure}
              </Table.Th>
              {since.map((month) => (
                <Table.Th
                  key={month}
                  scope="col"
                  aria-label={month === 0 ? "Month of the start" : `Month ${month} after`}
                >
                  {month}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {of.cohorts.map((cohort) => (
              <Row key={cohort.from} of={cohort} measure={measure} currency={of.currency} />
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <p className="tefo-quiet tefo-reason">
        Months since the start. A subscription starts when it first has recurring revenue, after a trial. Shown is the
        share that has recurring revenue at the end of each month (the last one up to now): of the subscriptions that
        started, or of the monthly recurring revenue with which they did, excl. VAT. It grows when paused or cancelled
        ones return, and revenue also when subscriptions cost more.
      </p>
    </>
  );
}

function Row({ of, measure, currency }: { readonly of: Cohort; readonly measure: Measure; readonly currency: string }) {
  const { from, to, started, months } = of;
  return (
    <Table.Tr>
      <Table.Th scope="row">{formatMonth(from)}</Table.Th>
      <Table.Td data-figures>
        <TextLink to="/subscription-movements" search={{ kind: "new", from, to, currency }} className="tefo-plain">
          {measure === "Revenue" ? formatMoney(started.amount, currency) : started.count}
        </TextLink>
      </Table.Td>
      {months.map((month) => {
        const percent = percentOf(month, measure);
        return (
          <Table.Td
            key={month.to}
            className="tefo-cohort"
            data-share={Math.min(4, Math.floor(percent / 20))}
            title={`${counted(month.active.count, "subscription")}, ${formatMoney(month.active.amount, currency)}`}
          >
            {Math.round(percent)} %
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}
