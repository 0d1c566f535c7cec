import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card, Shares } from "../../components/card.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { ReportRange, useReportSpan } from "../../components/report-range.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { formatDayOfYear, formatDays, formatMonth } from "../../lib/time.ts";

type Report = Shape<"FunnelReport">;
type Span = Report["series"][number];
type Stage = keyof Span["paymentLinks"];

/** A funnel: what is counted, how its stages are called, and which list has its rows. */
interface Funnel {
  readonly of: "paymentLinks" | "checkouts";
  readonly title: string;
  readonly list: string;
  readonly fixed: Readonly<Record<string, string>>;
  readonly stages: readonly { readonly stage: Stage; readonly label: string }[];
  readonly none: string;
  /** What is counted. */
  readonly note: string;
}

const FUNNELS: readonly Funnel[] = [
  {
    of: "paymentLinks",
    title: "Payment links",
    list: "/payment-links",
    fixed: { ofInvoice: "false" },
    stages: [
      { stage: "created", label: "Created" },
      { stage: "opened", label: "Opened" },
      { stage: "started", label: "Payment started" },
      { stage: "paid", label: "Paid" },
    ],
    none: "No payment links were created in these days",
    note: "Payment links that were created in these days, without those of invoices, and how far each has come since. Opened are those that a person opened: search engines, previews of messengers and your own team do not count, and a link on which a payment was started was opened. Paid are those with at least one payment that succeeded, whatever was refunded since. A link counts once, however often it is paid.",
  },
  {
    of: "checkouts",
    title: "Checkouts",
    list: "/checkout-sessions",
    fixed: {},
    stages: [
      { stage: "created", label: "Created" },
      { stage: "opened", label: "Opened" },
      { stage: "started", label: "Form sent" },
      { stage: "paid", label: "Completed" },
    ],
    none: "No checkouts were created in these days",
    note: "Checkouts that were created in these days, by a link or by a customer who began on the page itself, and how far each has come since. Who began on the page has opened it; visitors who sent no form there are not counted. Completed are those that were paid, or that started a subscription without a payment.",
  },
];

/** How many payment links and checkouts were opened, started and paid. */
export const Page = () => (
  <Frame title="Conversion report">
    <ReportRange inCurrency={false} />
    <Cards />
  </Frame>
);

function Cards() {
  const { from, to, by } = useReportSpan();
  const report = useRecord(["/payment-links", "funnel", { from, to, by }], () =>
    got(api.GET("/overview/funnel-report", { params: { query: { from, to, by } } })),
  );
  return (
    <Loaded of={report}>
      {(of) => (
        <div className="tefo-cards">
          {FUNNELS.map((funnel) => (
            <Card
              key={funnel.of}
              title={funnel.title}
              wide="whole"
              aside={<span className="tefo-quiet">{formatDays(of.from, of.to)}</span>}
            >
              <Stages of={of} funnel={funnel} />
            </Card>
          ))}
        </div>
      )}
    </Loaded>
  );
}

/** The rows of a figure. */
const rowsOf = ({ list, fixed }: Funnel, { from, to }: Pick<Span, "from" | "to">, stage: Stage) => ({
  to: list,
  search: { createdFrom: from, createdTo: to, ...fixed, ...(stage === "created" ? {} : { reached: stage }) },
});

const percentOf = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${Math.round((part / whole) * 100)} %`;

const nameOf = ({ from, to }: Span, by: Report["by"]): string =>
  by === "month" ? formatMonth(from) : by === "week" ? formatDays(from, to) : formatDayOfYear(from);

/** How many reached each stage, in percent of those that were created; and the same over time. */
function Stages({ of, funnel }: { readonly of: Report; readonly funnel: Funnel }) {
  const whole = of[funnel.of];
  if (whole.created === 0) return <p className="tefo-quiet">{funnel.none}</p>;
  return (
    <>
      <div className="tefo-figure-row">
        <span className="tefo-large">{percentOf(whole.paid, whole.created)}</span>
        <span className="tefo-quiet">
          {whole.paid} of {whole.created} {funnel.stages.at(-1)?.label.toLowerCase()}
        </span>
      </div>
      <Shares
        of={funnel.stages.map(({ stage, label }) => ({
          label,
          value: whole[stage],
          count: whole[stage],
          series: 1,
          link: rowsOf(funnel, of, stage),
        }))}
        format={(count) => percentOf(count, whole.created)}
      />
      <details className="tefo-raw">
        <summary>View as table</summary>
        <p className="tefo-quiet">{funnel.note}</p>
        <Rows
          label={`${funnel.title} over time`}
          items={of.series.filter((span) => span[funnel.of].created > 0)}
          keyOf={({ from }) => from}
          none={funnel.none}
          columns={[
            { label: "Created", cell: (span: Span) => nameOf(span, of.by) },
            ...funnel.stages.map(({ stage, label }) => ({
              label: stage === "created" ? "Number" : label,
              figures: true,
              cell: (span: Span) =>
                span[funnel.of][stage] === 0 ? null : (
                  <TextLink {...rowsOf(funnel, span, stage)} className="tefo-plain">
                    {span[funnel.of][stage]}
                  </TextLink>
                ),
            })),
            {
              label: `${funnel.stages.at(-1)?.label}, %`,
              figures: true,
              cell: (span: Span) => percentOf(span[funnel.of].paid, span[funnel.of].created),
            },
          ]}
        />
      </details>
    </>
  );
}
