import { Alert, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import type { Permission } from "../../api/session.ts";
import { ButtonLink } from "../../components/link.tsx";
import { Failure, Permitted } from "../../components/notice.tsx";
import { useTitle } from "../../components/title.ts";
import { formatTime } from "../../lib/time.ts";

type FirstSteps = Shape<"FirstSteps">;
type Key = FirstSteps["steps"][number]["key"];

interface Step {
  readonly title: string;
  readonly why: string;
  readonly to: string | null;
  readonly permission: Permission;
  readonly label: string;
}

const STEPS: Readonly<Record<Key, Step>> = {
  business: {
    title: "Your business",
    why: "The name and address stand on every invoice and quote.",
    to: "/settings",
    permission: "settings:write",
    label: "Enter name and address",
  },
  vat: {
    title: "VAT",
    why: "Registered: enter the VAT number, so that invoices are tax invoices. Not registered: say so, and no VAT is charged.",
    to: "/settings",
    permission: "settings:write",
    label: "Set VAT",
  },
  bank_details: {
    title: "Bank details for EFT",
    why: "They are printed on invoices, and shown to customers who pay by EFT.",
    to: "/gateways/new",
    permission: "gateways:write",
    label: "Add Manual EFT",
  },
  gateway: {
    title: "Cards and instant EFT",
    why: "A gateway lets customers pay online as soon as they open an invoice.",
    to: "/gateways/new",
    permission: "gateways:write",
    label: "Add a gateway",
  },
  email: {
    title: "Email",
    why: "Invoices, receipts and reminders go through your own mail server. Whoever runs this server sets SMTP_URL and starts it again. Until then nothing leaves it.",
    to: null,
    permission: "settings:write",
    label: "",
  },
  team: {
    title: "Team",
    why: "Optional. Your bookkeeper gets a sign-in of their own, with what they may do.",
    to: "/members",
    permission: "members:write",
    label: "Invite team member",
  },
  first_invoice: {
    title: "First invoice",
    why: "Create it, look at the preview, and send it.",
    to: "/invoices/new",
    permission: "invoices:write",
    label: "Create invoice",
  },
};

/** What is left to set up before the first payment. */
export function Page() {
  useTitle("Set up");
  const steps = useRecord(["/first-steps"], () => got(api.GET("/first-steps")));
  return (
    <Stack gap="lg" maw={820}>
      <Title order={1} size="h2">
        Set up
      </Title>
      {steps.isPending && <Skeleton height={320} aria-busy="true" aria-label="Loading" />}
      {steps.isError && <Failure error={steps.error} again={() => void steps.refetch()} />}
      {steps.data && <Steps of={steps.data} />}
    </Stack>
  );
}

function Steps({ of: { steps, mail } }: { readonly of: FirstSteps }) {
  const done = steps.filter((step) => step.done).length;
  return (
    <>
      <Text c="dimmed" size="sm">
        {done === steps.length ? "Everything is set up" : `${done} of ${steps.length} steps done`}
      </Text>
      {mail.lastFailure && (
        <Alert color="red" title="The last email that failed">
          {formatTime(mail.lastFailure.at)}: {mail.lastFailure.error ?? "The mail server gave no reason."}
        </Alert>
      )}
      <Stack component="ol" gap="sm" p={0} m={0}>
        {steps.map(({ key, done: isDone }) => (
          <StepRow key={key} step={STEPS[key]} done={isDone} />
        ))}
      </Stack>
    </>
  );
}

const StepRow = ({ step, done }: { readonly step: Step; readonly done: boolean }) => (
  <Group component="li" justify="space-between" align="flex-start" wrap="nowrap" className="tefo-step">
    <Stack gap={2}>
      <Group gap="xs">
        <Title order={2} size="h5">
          {step.title}
        </Title>
        {done && (
          <span className="tefo-status" data-tone="good">
            Done
          </span>
        )}
      </Group>
      {!done && (
        <Text size="sm" c="dimmed">
          {step.why}
        </Text>
      )}
    </Stack>
    {!done && step.to !== null && (
      <Permitted to={step.permission}>
        <ButtonLink to={step.to} variant="default">
          {step.label}
        </ButtonLink>
      </Permitted>
    )}
  </Group>
);
