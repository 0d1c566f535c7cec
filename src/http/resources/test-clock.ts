import { z } from "zod";
import { moveClock, readClock, resetClock } from "../../flows/test-clock/move-clock.ts";
import { timestamp } from "../../platform/schema.ts";
import { dateTimeAsked } from "../../platform/schema-dates.ts";
import { endpoint, ownTransactionsEndpoint } from "../endpoint.ts";

// Also for a read-only account: when the clock is past the trial's end, it must still be possible to move it.
const common = {
  audience: "clients",
  tag: { name: "Test clock", about: "The clock of a sandbox organisation, and snapshots to which it is rewound." },
  path: "/test-clock",
  writes: false,
} as const;

const Clock = z
  .object({ now: timestamp(), set: z.boolean().describe("False while it runs with real time.") })
  .meta({ id: "TestClock" });
const Moved = z
  .object({ now: timestamp(), ran: z.record(z.string(), z.int()).describe("How often each kind of due work ran.") })
  .meta({ id: "TestClockMove" });

/** The endpoints of interface 13.1: the clock of a sandbox organisation. */
export const testClockEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    summary: "Get the clock's time",
    permission: "test_clock:read",
    replies: { 200: Clock },
    async handle({ ctx }) {
      return { status: 200, body: readClock(ctx.organisation) };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    operationId: "moveTestClock",
    method: "POST",
    summary: "Move the clock forward, running everything that falls due on the way",
    permission: "test_clock:write",
    body: z.object({ now: dateTimeAsked() }),
    replies: { 200: Moved },
    async run({ ctx, services, body }) {
      return { status: 200, body: await moveClock(services, ctx, body.now) };
    },
  }),
  endpoint({
    ...common,
    operationId: "releaseTestClock",
    method: "DELETE",
    summary: "End a move that is running, else let the clock run with real time again",
    permission: "test_clock:write",
    replies: { 200: Clock },
    async handle({ ctx }, tx) {
      const { before, after } = await resetClock(tx, ctx);
      return { status: 200, body: after, audit: { subject: ctx.organisation.id, before, after } };
    },
  }),
];
