import { Alert, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay } from "../../api/session.ts";
import { ButtonLink } from "../../components/link.tsx";
import { Failure, Permitted } from "../../components/notice.tsx";
import { PayoutHold } from "../../components/payout-hold.tsx";
import { useTitle } from "../../components/title.ts";
import { Words } from "../../components/values.tsx";
import { formatLongDay, hourOf, toDateInput } from "../../lib/time.ts";
import { Expected } from "./expected.tsx";
import { LatestPayments, Recurring, Reversible } from "./latest.tsx";
import { Problems } from "./problems.tsx";
import { Received } from "./received.tsx";
import { ToDo } from "./tasks.tsx";

type Overview = Shape<"StaffOverview">;

/** The first page: what came in, what needs a person, what is coming, what went wrong. Each figure leads to its records. */
export function Page() {
  useTitle("Home");
  const { session, membership } = useActing();
  const may = useMay();
  const overview = useRecord(["/overview"], () => got(api.GET("/overview")), may("overview:read"));
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" dir="auto" className="tefo-words">
            {greeting(membership.clock.now, session.user.name)}
          </Title>
          <Text size="sm" c="dimmed">
            <Words of={membership.name} />, {formatLongDay(membership.clock.now)}
          </Text>
        </div>
        <Permitted to="invoices:write">
          <ButtonLink to="/invoices/new">New invoice</ButtonLink>
        </Permitted>
      </Group>
      <PayoutHold />
      <FirstGateway />
      {overview.isPending && overview.fetchStatus !== "idle" && (
        <Skeleton height={200} aria-busy="true" aria-label="Loading" />
      )}
      {overview.isError && <Failure error={overview.error} again={() => void overview.refetch()} />}
      {overview.data && <Cards overview={overview.data} />}
    </Stack>
  );
}

/** `Good morning, Lerato`. */
function greeting(now: string, name: string): string {
  const hour = hourOf(now);
  const time = hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening";
  const [first = ""] = name.trim().split(/\s+/);
  return first === "" ? `Good ${time}` : `Good ${time}, ${first}`;
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

/** Nothing of zero takes a card, but the four questions that the page answers; what the role may not read is not there. */
const Cards = ({ overview }: { readonly overview: Overview }) => (
  <div className="tefo-cards">
    {overview.received && (
      <Received
        today={toDateInput(overview.asOf)}
        toMatch={overview.toDo.find(({ kind }) => kind === "lines_to_match")?.count ?? 0}
        currencies={[overview.received.currency, ...(overview.receivedOther ?? []).map(({ currency }) => currency)]}
      />
    )}
    <ToDo tasks={overview.toDo} />
    {(overview.expected ?? []).map((expected, at) => (
      <Expected
        key={expected.currency}
        expected={expected}
        owed={overview.money.find(({ currency }) => currency === expected.currency)}
        batch={at === 0 ? overview.nextDebitBatch : null}
      />
    ))}
    <Problems overview={overview} />
    <Permitted to="transactions:read">
      <LatestPayments />
    </Permitted>
    {(overview.recurringRevenue ?? [])
      .filter(({ mrr, movements }) => mrr.count > 0 || movements.churn.count > 0)
      .map((revenue) => (
        <Recurring key={revenue.currency} {...revenue} />
      ))}
    {(overview.moneyAtRisk ?? [])
      .filter(({ safe, atRisk }) => safe.count + atRisk.count > 0)
      .map((risk) => (
        <Reversible key={risk.currency} {...risk} />
      ))}
  </div>
);
