import { Alert, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { API, api, got, type Shape } from "../api/client.ts";
import { useList } from "../api/lists.ts";
import { useRecord } from "../api/records.ts";
import { useActing, useMay } from "../api/session.ts";
import { Chart } from "../components/chart.tsx";
import { ButtonLink } from "../components/link.tsx";
import { Failure, Permitted } from "../components/notice.tsx";
import { PayoutHold } from "../components/payout-hold.tsx";
import { Tile } from "../components/tile.tsx";
import { useTitle } from "../components/title.ts";
import { formatMoney } from "../lib/money.ts";
import { MOVEMENT_KINDS, MOVEMENTS } from "../lib/movements.ts";
import { formatDay } from "../lib/time.ts";
import { counted } from "../lib/words.ts";

type Overview = Shape<"Overview">;

/** The first page: the figures of the business, each a link to the records that it counts. */
export function Page() {
  useTitle("Home");
  const { membership } = useActing();
  const may = useMay();
  const overview = useRecord(["/overview"], () => got(api.GET("/overview")), may("overview:read"));
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1} size="h2" dir="auto" className="tefo-words">
          {membership.name}
        </Title>
        <Group gap="sm">
          <Permitted to="customers:write">
            <ButtonLink to="/customers/new" variant="default">
              New customer
            </ButtonLink>
          </Permitted>
          <Permitted to="invoices:write">
            <ButtonLink to="/invoices/new">New invoice</ButtonLink>
          </Permitted>
        </Group>
      </Group>
      <PayoutHold />
      <FirstGateway />
      {overview.isPending && overview.fetchStatus !== "idle" && (
        <Skeleton height={200} aria-busy="true" aria-label="Loading" />
      )}
      {overview.isError && <Failure error={overview.error} again={() => void overview.refetch()} />}
      {overview.data && <Figures overview={overview.data} />}
    </Stack>
  );
}

/** The first step of a new organisation: without a gateway nobody can pay it. */
function FirstGateway() {
  const may = useMay();
  const gateways = useList("/gateways", { limit: "1" }, may("gateways:read"));
  if (!gateways.isSuccess || gateways.data.data.length > 0) return null;
  return (
    <Alert color="gray" title="Add a way to get paid">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          A gateway takes your customers' money: by card, by debit order, or into your bank account. Add one, then send
          an invoice or a payment link.
        </Text>
        <Permitted to="gateways:write">
          <ButtonLink to="/gateways/new" size="xs">
            Add a gateway
          </ButtonLink>
        </Permitted>
      </Stack>
    </Alert>
  );
}

const Figures = ({ overview }: { readonly overview: Overview }) => (
  <>
    {overview.money.map((money) => (
      <Collected key={money.currency} {...money} />
    ))}
    <ToDo overview={overview} />
    {overview.recurringRevenue.map((revenue) => (
      <Recurring key={revenue.currency} {...revenue} />
    ))}
    {overview.moneyAtRisk.map((risk) => (
      <AtRisk key={risk.currency} {...risk} />
    ))}
  </>
);

const Tiles = ({
  title,
  about,
  children,
}: {
  readonly title: string;
  /** The period of figures that do not name one themselves. */
  readonly about?: string;
  readonly children: ReactNode;
}) => (
  <Stack component="section" gap="sm" aria-label={title}>
    <div>
      <Title order={2} size="h4">
        {title}
      </Title>
      {about && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
    </div>
    <div className="tefo-tiles">{children}</div>
  </Stack>
);

function Collected({ currency, collected, outstanding, overdue }: Overview["money"][number]) {
  const { today, month, lastMonthToDate, lastMonth, days } = collected;
  return (
    <>
      <Tiles title={currency === "ZAR" ? "Money" : `Money in ${currency}`}>
        <Tile label="Collected today" of={today} kind="payment" currency={currency} />
        <Tile label="Collected this month" of={month} kind="payment" currency={currency} />
        <Tile label="Outstanding" of={outstanding} kind="invoice" currency={currency} />
        <Tile label="Overdue" of={overdue} kind="invoice" currency={currency} />
        <Tile label="By this day last month" of={lastMonthToDate} kind="payment" currency={currency} />
        <Tile label="Last month" of={lastMonth} kind="payment" currency={currency} />
      </Tiles>
      <Paper withBorder p="lg">
        <Chart
          title={`Collected in the last ${counted(days.length, "day")}`}
          about="Payments that are complete, by the South African day on which they were paid."
          none="Nothing was collected in these days. Send an invoice or a payment link, and what is paid shows here."
          axis="Day"
          series={[{ name: "Collected", color: "cyan.7" }]}
          points={days.map(({ day, amount }) => ({ at: formatDay(day), values: [amount] }))}
          format={(amount) => formatMoney(amount, currency)}
        />
      </Paper>
    </>
  );
}

const ToDo = ({
  overview: { money, nextDebitBatch, nextDebits, webhookFailures },
}: {
  readonly overview: Overview;
}) => (
  <Tiles title="To do">
    {money.map(({ currency, transfersToReview, retrying }) => [
      <Tile
        key={`review-${currency}`}
        label="Proofs to check"
        of={transfersToReview}
        kind="transfer"
        currency={currency}
      />,
      <Tile key={`retry-${currency}`} label="Failed, retrying" of={retrying} kind="invoice" currency={currency} />,
    ])}
    {nextDebitBatch ? (
      <NextBatch batch={nextDebitBatch} />
    ) : (
      nextDebits && (
        <Tile label={`Debits due ${formatDay(nextDebits.date)}`} of={nextDebits} kind="debit" currency="ZAR" />
      )
    )}
    <Tile
      label="Webhooks that failed"
      of={webhookFailures}
      kind="delivery"
      note={`${webhookFailures.count === 0 ? "None" : `At ${counted(webhookFailures.endpoints, "endpoint")}`} in the last 30 days`}
    />
  </Tiles>
);

/** The batch that goes to the bank next, with the expected number of unpaid debits, which the batch's own page reads. */
function NextBatch({ batch }: { readonly batch: NonNullable<Overview["nextDebitBatch"]> }) {
  const { id, actionDate, count, currency } = batch;
  const read = useRecord(["/debit-batches", id], () =>
    got(api.GET("/debit-batches/{id}", { params: { path: { id } } })),
  );
  const forecast = read.data?.forecast;
  return (
    <Tile
      label={`Debit batch of ${formatDay(actionDate)}`}
      of={{ ...batch, list: `${API}/debit-batches/${id}` }}
      kind="debit"
      currency={currency}
      note={forecast && `${counted(count, "debit")}, of which about ${forecast.expectedUnpaid} may be unpaid`}
    />
  );
}

const Recurring = ({ currency, mrr, movements, failed, recovered }: Overview["recurringRevenue"][number]) => (
  <Tiles
    title={currency === "ZAR" ? "Subscriptions" : `Subscriptions in ${currency}`}
    about="What they bring in each month, and how that has changed in the last 30 days."
  >
    <Tile label="Monthly recurring revenue" of={mrr} kind="subscription" currency={currency} />
    {MOVEMENT_KINDS.map((kind) => (
      <Tile key={kind} label={MOVEMENTS[kind]} of={movements[kind]} kind="subscription" currency={currency} />
    ))}
    <Tile label="Failed payments" of={failed} kind="invoice" currency={currency} />
    <Tile label="Recovered" of={recovered} kind="invoice" currency={currency} />
  </Tiles>
);

const AtRisk = ({ currency, safe, atRisk }: Overview["moneyAtRisk"][number]) => (
  <>
    <Tiles title="Debit orders still reversible" about="Debit orders that were collected in the last 90 days.">
      <Tile label="Final" of={safe} kind="payment" currency={currency} />
      <Tile label="Still reversible" of={atRisk} kind="payment" currency={currency} />
    </Tiles>
    {atRisk.days.length > 0 && (
      <Paper withBorder p="lg">
        <Chart
          title="When debit orders become final"
          about="Debit orders that a customer's bank can still take back, by the last day on which it can."
          none="Nothing can come back."
          axis="Safe after"
          series={[{ name: "Amount", color: "cyan.7" }]}
          points={atRisk.days.map(({ until, amount }) => ({ at: formatDay(until), values: [amount] }))}
          format={(amount) => formatMoney(amount, currency)}
        />
      </Paper>
    )}
  </>
);
