import { Group, NativeSelect } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Card, Shares } from "../../components/card.tsx";
import { DECLINE_REASONS } from "../../components/decline-reasons.ts";
import { Frame, Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { useListAddress } from "../../components/list-address.ts";
import { Lines } from "../../components/plot.tsx";
import { ReportRange, useReportSpan } from "../../components/report-range.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDayOfYear, formatDays, formatMonth } from "../../lib/time.ts";
import { counted, words } from "../../lib/words.ts";

type Report = Shape<"AttemptsReport">;
type Span = Report["series"][number];
type Way = Report["methods"][number];
type Outcome = "succeeded" | "declined" | "abandoned" | "pending";

const METHODS: Readonly<Record<Way["method"], string>> = {
  checkout: "Paid by the payer on a page",
  saved_card: "Saved cards",
  debit_order: "Debit orders",
  gateway_renewal: "Gateway subscriptions",
};

/** How many attempts to pay succeeded, and why the others were declined. */
export const Page = () => (
  <Frame title="Success rate">
    <ReportRange />
    <Cards />
  </Frame>
);

function Cards() {
  const { from, to, by } = useReportSpan();
  const { currency, method, gateway } = useListAddress().filters;
  const days = { from, to, by, ...(currency && { currency }) };
  const read = (query: object) =>
    got(api.GET("/overview/attempts-report", { params: { query: { ...days, ...query } } }));
  const all = useRecord(["/transactions", "attempts", days], () => read({}));
  const wanted = { ...(method && { method }), ...(gateway && { gateway }) };
  const some = useRecord(["/transactions", "attempts", { ...days, ...wanted }], () => read(wanted));
  return (
    <Loaded of={all}>
      {(whole) => (
        <>
          <Ways of={whole} />
          <Loaded of={some}>
            {(of) => (
              <div className="tefo-cards">
                <Rate of={of} wanted={wanted} />
                <Reasons of={of} wanted={wanted} />
                <Card title="By method and gateway" wide="whole">
                  <Methods of={whole} />
                </Card>
              </div>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

type Wanted = Readonly<Record<string, string>>;

/** The payments of a figure. */
const paymentsOf = ({ from, to }: Pick<Span, "from" | "to">, { currency }: Report, of: Wanted) => ({
  to: "/transactions",
  search: { createdFrom: from, createdTo: to, currency, ...of },
});

const wayWords = ({ method, gateway }: Pick<Way, "method" | "gateway">): string =>
  `${METHODS[method]}, ${words(gateway)}`;

/** The choice of a method and gateway, where there are several. */
function Ways({ of: { methods } }: { readonly of: Report }) {
  const { filter, filters } = useListAddress();
  if (methods.length < 2) return null;
  return (
    <Group gap="sm" align="flex-end" className="tefo-controls">
      <NativeSelect
        label="Method and gateway"
        data={[
          { value: "", label: "All" },
          ...methods.map((way) => ({ value: `${way.method} ${way.gateway}`, label: wayWords(way) })),
        ]}
        value={filters["method"] ? `${filters["method"]} ${filters["gateway"] ?? ""}` : ""}
        onChange={({ currentTarget }) => {
          const [method = "", gateway = ""] = currentTarget.value.split(" ");
          filter({ method, gateway });
        }}
      />
    </Group>
  );
}

const nameOf = ({ from, to }: Span, by: Report["by"]): string =>
  by === "month" ? formatMonth(from) : by === "week" ? formatDays(from, to) : formatDayOfYear(from);

const percentOf = (percent: number | null): string => (percent === null ? "–" : `${percent} %`);

/** The share of decided attempts that succeeded, and how it moved. */
function Rate({ of, wanted }: { readonly of: Report; readonly wanted: Wanted }) {
  // Days without a decision say nothing.
  const decided = of.series.filter(({ successPercent }) => successPercent !== null);
  const every = Math.ceil(decided.length / 4);
  const link = (outcome: Outcome) => paymentsOf(of, of, { ...wanted, outcome });
  return (
    <Card title="Success rate" wide aside={<span className="tefo-quiet">{formatDays(of.from, of.to)}</span>}>
      <div className="tefo-figure-row">
        <span className="tefo-large">{percentOf(of.successPercent)}</span>
        <span className="tefo-quiet">of {counted(of.succeeded.count + of.declined.count, "decided payment")}</span>
      </div>
      <p className="tefo-quiet tefo-reason">
        <TextLink {...link("succeeded")} className="tefo-plain">
          {of.succeeded.count} succeeded
        </TextLink>
        ,{" "}
        <TextLink {...link("declined")} className="tefo-plain">
          {of.declined.count} declined
        </TextLink>
        ; not counted are{" "}
        <TextLink {...link("abandoned")} className="tefo-plain">
          {of.abandoned.count} abandoned
        </TextLink>{" "}
        and{" "}
        <TextLink {...link("pending")} className="tefo-plain">
          {of.pending.count} pending
        </TextLink>
      </p>
      {decided.length > 1 && (
        <Lines
          label={`Payments that succeeded, in percent of those decided. In all ${percentOf(of.successPercent)}.`}
          values={decided.map(({ successPercent }) => successPercent ?? 0)}
          before={[]}
          beforeName=""
          labels={decided.flatMap((span, at) =>
            at % every === 0 ? [[at, formatDayOfYear(span.from)] as [number, string]] : [],
          )}
          format={(percent) => `${percent} %`}
        />
      )}
      <details className="tefo-raw">
        <summary>View as table</summary>
        <p className="tefo-quiet">
          Attempts to pay by the day they began. Succeeded were paid, whatever was refunded or disputed since. Declined
          were refused by a bank or gateway; debit orders that came back unpaid are declined, also when they had been
          collected. The rate is succeeded of succeeded and declined. An invoice that was tried three times counts three
          times. Bank transfers do not count.
        </p>
        <Rows
          label="Success rate over time"
          items={of.series.filter(({ attempts }) => attempts.count > 0)}
          keyOf={({ from }) => from}
          none="No payments were attempted"
          columns={[
            { label: "Days", cell: (span: Span) => nameOf(span, of.by) },
            ...COUNTS.map(({ label, outcome }) => ({
              label,
              figures: true,
              cell: (span: Span) => (
                <Counted of={span} outcome={outcome} link={paymentsOf(span, of, { ...wanted, outcome })} />
              ),
            })),
            { label: "Success rate", figures: true, cell: (span: Span) => percentOf(span.successPercent) },
          ]}
        />
      </details>
    </Card>
  );
}

const COUNTS: readonly { readonly label: string; readonly outcome: Outcome }[] = [
  { label: "Succeeded", outcome: "succeeded" },
  { label: "Declined", outcome: "declined" },
  { label: "Abandoned", outcome: "abandoned" },
  { label: "Pending", outcome: "pending" },
];

const Counted = ({
  of,
  outcome,
  link,
}: {
  readonly of: Span | Way;
  readonly outcome: Outcome;
  readonly link: ReturnType<typeof paymentsOf>;
}) =>
  of[outcome].count === 0 ? null : (
    <TextLink {...link} className="tefo-plain">
      {of[outcome].count}
    </TextLink>
  );

/** Why payments were declined, and what to do. */
function Reasons({ of, wanted }: { readonly of: Report; readonly wanted: Wanted }) {
  return (
    <Card title="Why payments were declined">
      {of.reasons.length === 0 ? (
        <p className="tefo-quiet">Nothing was declined in these days</p>
      ) : (
        <>
          <Shares
            of={of.reasons.map(({ reason, amount, count }) => ({
              label: DECLINE_REASONS[reason].label,
              value: amount,
              count,
              series: 5,
              link: paymentsOf(of, of, { ...wanted, outcome: "declined", declineReason: reason }),
            }))}
            format={(amount) => formatMoney(amount, of.currency)}
          />
          <h3 className="tefo-card-title">What to do</h3>
          <ul className="tefo-quiet tefo-reason">
            {of.reasons.slice(0, 5).map(({ reason }) => (
              <li key={reason}>
                {DECLINE_REASONS[reason].label}: {DECLINE_REASONS[reason].help}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

/** The same for each method and gateway. */
const Methods = ({ of }: { readonly of: Report }) => (
  <Rows
    label="Success rate by method and gateway"
    items={of.methods}
    keyOf={({ method, gateway }) => `${method} ${gateway}`}
    none="No payments were attempted"
    columns={[
      {
        label: "Method and gateway",
        cell: ({ method, gateway }: Way) => (
          <TextLink {...paymentsOf(of, of, { method, gateway })}>{wayWords({ method, gateway })}</TextLink>
        ),
      },
      ...COUNTS.map(({ label, outcome }) => ({
        label,
        figures: true,
        cell: (way: Way) => (
          <Counted
            of={way}
            outcome={outcome}
            link={paymentsOf(of, of, { method: way.method, gateway: way.gateway, outcome })}
          />
        ),
      })),
      { label: "Success rate", figures: true, cell: ({ successPercent }: Way) => <b>{percentOf(successPercent)}</b> },
      {
        label: "Declined amount",
        figures: true,
        cell: ({ declined }: Way) => (declined.amount === 0 ? null : formatMoney(declined.amount, of.currency)),
      },
    ]}
  />
);
