import { Button, CloseButton, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api, got } from "../api/client.ts";
import { useChange } from "../api/records.ts";
import { ButtonLink } from "../components/link.tsx";

/** A step: its page, and what to see there. */
const STEPS = [
  {
    to: "/",
    title: "Your money, in one look",
    text: "What was received, what waits for you, what is coming, what went wrong. Each figure leads to exactly the records that it counts. Press Ctrl K anywhere to find a customer, a number or an amount.",
  },
  {
    to: "/invoices",
    title: "An invoice that waits to be paid",
    text: "Open it and choose “View as payer”: that is the page your customer sees. Pay it there through the sandbox gateway, come back, and it is paid.",
  },
  {
    to: "/customer-subscriptions",
    title: "Money that comes by itself",
    text: "Subscribe a customer to a plan of the Rooibos club. Before anything is made, you see its first bill and what each line is made of.",
  },
  {
    to: "/webhook-endpoints",
    title: "Your own systems are told",
    text: "Each change is an event, sent to the addresses that you name here. What was not delivered is kept, and sent again when you say so.",
  },
  {
    to: "/sandbox",
    title: "A month in a second",
    text: "Move the clock of this demonstration on by a month: subscriptions renew, reminders go out, debits are collected. Then make Tefo yours, with an organisation of your own.",
  },
] as const;

/** The tour of the demonstration, above the page that each step is about, until somebody ends it. */
export function Tour() {
  const [place, setPlace] = useState(0);
  const [over, setOver] = useState(false);
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  const end = useChange(() => got(api.POST("/tour/end")), ["session"]);
  const moved = useRef(false);
  useEffect(() => {
    // A screen reader announces the step that was requested; the first step leaves the focus where it is.
    if (moved.current) heading.current?.focus();
  });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const step = STEPS[place];
  if (over || !step) return null;
  const go = (next: number) => {
    moved.current = true;
    setPlace(next);
    const target = STEPS[next];
    if (target) void navigate({ to: target.to });
  };
  const leave = () => {
    setOver(true);
    end.mutate(undefined);
  };
  const here = step.to === "/" ? path === "/" : path.startsWith(step.to);
  if (!here) return <Elsewhere place={place} back={() => go(place)} leave={leave} />;
  return (
    <Paper
      component="section"
      aria-label="Tour"
      withBorder
      p="md"
      mb="md"
      onKeyDown={({ key }) => {
        if (key === "Escape") leave();
      }}
    >
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" ref={heading} tabIndex={-1}>
            {step.title}
          </Title>
          <CloseButton aria-label="End the tour" onClick={leave} />
        </Group>
        <Text size="sm" maw={760}>
          {step.text}
        </Text>
        <Group justify="space-between" gap="sm">
          <Text size="sm" className="tefo-quiet">
            Step {place + 1} of {STEPS.length}
          </Text>
          <Moves place={place} go={go} leave={leave} />
        </Group>
      </Stack>
    </Paper>
  );
}

/** The tour in one line, on pages without a step. */
const Elsewhere = ({ place, back, leave }: { readonly place: number; back(): void; leave(): void }) => (
  <Group component="section" aria-label="Tour" gap="xs" mb="md" wrap="nowrap" justify="flex-end">
    <Button size="compact-sm" variant="subtle" onClick={back}>
      Go on with the tour, step {place + 1} of {STEPS.length}
    </Button>
    <CloseButton size="sm" aria-label="End the tour" onClick={leave} />
  </Group>
);

/** Links to the previous and the next step; after the last, to an organisation of one's own. */
const Moves = ({ place, go, leave }: { readonly place: number; go(next: number): void; leave(): void }) => (
  <Group gap="xs">
    {place > 0 && (
      <Button size="xs" variant="default" onClick={() => go(place - 1)}>
        Back
      </Button>
    )}
    {place === STEPS.length - 1 ? (
      <ButtonLink size="xs" to="/organisations/new" onClick={leave}>
        Create my organisation
      </ButtonLink>
    ) : (
      <Button size="xs" onClick={() => go(place + 1)}>
        Next
      </Button>
    )}
  </Group>
);
