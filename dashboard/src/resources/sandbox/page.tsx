import { Group, NativeSelect, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { DateInput } from "../../components/date-input.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Failure } from "../../components/notice.tsx";
import { Section } from "../../components/resource-page.tsx";
import { useTitle } from "../../components/title.ts";
import { Time } from "../../components/values.tsx";
import { formatDay, formatTime } from "../../lib/time.ts";
import { counted, words } from "../../lib/words.ts";

/** Due work that runs during the move may change any record. */
const TOUCHES = [
  // The banner above every page shows the clock, which is read with the session.
  "session",
  "/test-clock",
  "/invoices",
  "/transactions",
  "/customers",
  "/quotes",
  "/eft-orders",
  "/mandates",
  "/debit-batches",
  "/customer-subscriptions",
  "/subscriptions",
  "/payment-links",
  "/events",
  "/webhook-deliveries",
  "/emails",
  "/audit-log",
];

/** The sandbox's clock, and outcomes of its gateway. */
export function Page() {
  useTitle("Sandbox");
  const clock = useRecord(["/test-clock"], () => got(api.GET("/test-clock")));
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Sandbox
      </Title>
      {clock.isPending && <Skeleton height={160} aria-busy="true" aria-label="Loading" />}
      {clock.isError && <Failure error={clock.error} again={() => void clock.refetch()} />}
      {clock.data && <Clock clock={clock.data} />}
      <Outcomes />
    </Stack>
  );
}

/** Steps of the clock: a name, and the time after it. */
const STEPS: readonly (readonly [label: string, months: number, days: number])[] = [
  ["+1 day", 0, 1],
  ["A week on", 0, 7],
  ["A month on", 1, 0],
];

/** The same time of day after these months and days; the last day of a month stays one. */
function later(now: string, months: number, days: number): string {
  const from = new Date(now);
  const day = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate();
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  to.setUTCDate(Math.min(from.getUTCDate(), day) + days);
  return to.toISOString();
}

function Clock({ clock }: { readonly clock: Shape<"TestClock"> }) {
  return (
    <Section title="Clock">
      <Stack gap="md">
        <div>
          <Text size="xl" fw={600}>
            <Time at={clock.now} />
          </Text>
          <Text size="sm" c="dimmed">
            {clock.set ? "It was set, and stands still until you move it." : "It runs with real time."}
          </Text>
        </div>
        <Group gap="sm">
          {STEPS.map(([label, months, days]) => (
            <Move key={label} label={label} to={() => later(clock.now, months, days)} />
          ))}
          <MoveTo now={clock.now} />
          {clock.set && <LetRun />}
        </Group>
      </Stack>
    </Section>
  );
}

const ran = ({ now, ran: kinds }: Shape<"TestClockMove">): string => {
  const count = Object.values(kinds).reduce((all, one) => all + one, 0);
  return `It is ${formatTime(now)} now. ${counted(count, "thing", "things")} happened on the way.`;
};

const WHAT = "Everything that falls due until then happens on the way: invoices, debits, reminders, renewals, emails.";

const Move = ({ label, to }: { readonly label: string; to(): string }) => (
  <MoneyAction
    label={label}
    title={label}
    permission="test_clock:write"
    initial={{}}
    what={() => `The clock moves to ${formatTime(to())}. ${WHAT} It does not go back.`}
    send={() => got(api.POST("/test-clock", { body: { now: to() } }))}
    touches={TOUCHES}
    said={ran}
    button={{ variant: "default" }}
  />
);

const MoveTo = ({ now }: { readonly now: string }) => (
  <MoneyAction
    label="To a day"
    title="Move the clock to a day"
    permission="test_clock:write"
    initial={{ day: "" }}
    check={{ day: (value: string) => (/^\d{4}-\d\d-\d\d$/.test(value) ? null : "Choose the day.") }}
    fields={(form) => <DateInput label="Day" min={now.slice(0, 10)} {...form.getInputProps("day")} />}
    what={({ day }) =>
      day
        ? `The clock moves to ${formatDay(day)}, 12:00. ${WHAT} It does not go back.`
        : "Nothing, until a day is chosen."
    }
    send={({ day }) => got(api.POST("/test-clock", { body: { now: `${day}T12:00:00+02:00` } }))}
    touches={TOUCHES}
    said={ran}
    button={{ variant: "default" }}
  />
);

const LetRun = () => (
  <MoneyAction
    label="Let it run"
    title="Let the clock run"
    permission="test_clock:write"
    initial={{}}
    what={() => "The clock shows real time again, and what was done until now stays."}
    send={() => got(api.DELETE("/test-clock"))}
    touches={TOUCHES}
    said={() => "Clock runs with real time"}
    button={{ variant: "default" }}
  />
);

type Outcome = "complete" | "failed" | "cancelled" | "pending" | "disputed" | "won" | "lost";
const OUTCOMES: readonly Outcome[] = ["complete", "failed", "cancelled", "pending", "disputed", "won", "lost"];

const Outcomes = () => (
  <Section title="Sandbox gateway">
    <Stack gap="md" align="flex-start">
      <Text size="sm" c="dimmed" maw={640}>
        The sandbox gateway tells Tefo how a payment went, true or not, as a real gateway would. Name the payment by its
        reference.
      </Text>
      <MoneyAction
        label="Report an outcome"
        title="Report the outcome of a payment"
        permission="test_clock:write"
        initial={{ reference: "", status: "complete" as Outcome, times: "1" }}
        check={{ reference: (value: string) => (value.trim() ? null : "Enter the payment reference") }}
        fields={(form) => (
          <>
            <TextInput label="Reference" autoComplete="off" data-autofocus {...form.getInputProps("reference")} />
            <NativeSelect
              label="Outcome"
              data={OUTCOMES.map((value) => ({ value, label: words(value) }))}
              {...form.getInputProps("status")}
            />
            <NativeSelect
              label="Frequency"
              description="A repeated report must change nothing more."
              data={["1", "2", "10"]}
              {...form.getInputProps("times")}
            />
          </>
        )}
        what={({ reference, status, times }) =>
          reference.trim()
            ? `The gateway reports ${reference.trim()} as ${words(status).toLowerCase()}, ${counted(Number(times), "time", "times")} immediately.`
            : "Nothing, until a payment is named."
        }
        send={({ reference, status, times }) =>
          got(api.POST("/sandbox/notify", { body: { reference: reference.trim(), status, times: Number(times) } }))
        }
        touches={TOUCHES}
        said={({ answers }) => `Tefo answered ${answers.join(", ")}.`}
      />
    </Stack>
  </Section>
);
