import { z } from "zod";
import { notifyOnDemand } from "../../flows/sandbox-gateway/notify-on-demand.ts";
import { scriptOutcomes } from "../../flows/sandbox-gateway/outcomes.ts";
import {
  SandboxNotified,
  SandboxNotify,
  SandboxStepObject,
  SandboxStepQuery,
  SandboxSteps,
  sandboxStepView,
} from "../../modules/sandbox-gateway/schema.ts";
import { deleteWaitingSteps, listSteps } from "../../modules/sandbox-gateway/store/outcomes.ts";
import { endpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { listBody, listed, listOf, ONLY_PAGE } from "../lists.ts";

const common = {
  audience: "clients",
  tag: { name: "Sandbox", about: "The gateway of a sandbox organisation, which does as it is told." },
  // A gateway acts for a read-only account too.
  writes: false,
} as const;

/** The endpoints of interface 13.6 and 13.9: what the sandbox gateway is told to do, and to send. */
export const sandboxEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/sandbox/outcomes",
    operationId: "createSandboxOutcomes",
    summary: "Tell the sandbox gateway how its next payments, charges, renewals, debits and refunds end",
    permission: "test_clock:write",
    idempotent: true,
    body: SandboxSteps,
    replies: { 201: listOf(SandboxStepObject) },
    async handle({ ctx, body }, tx) {
      const data = scriptOutcomes(tx, ctx, body).map(sandboxStepView);
      return { status: 201, body: listBody(data, ONLY_PAGE), audit: { subject: "sandbox", after: data } };
    },
  }),
  endpoint({
    audience: common.audience,
    tag: common.tag,
    method: "GET",
    path: "/sandbox/outcomes",
    summary: "List what the sandbox gateway was told, newest first",
    permission: "test_clock:read",
    query: SandboxStepQuery,
    replies: { 200: listOf(SandboxStepObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listSteps(tx, wanted), sandboxStepView);
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/sandbox/outcomes",
    summary: "Take back what the sandbox gateway was told and has not done yet",
    permission: "test_clock:write",
    replies: { 200: z.object({ deleted: z.int().describe("How many steps were taken back.") }) },
    async handle(_call, tx) {
      const deleted = await deleteWaitingSteps(tx);
      return { status: 200, body: { deleted }, audit: { subject: "sandbox", after: { deleted } } };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "POST",
    path: "/sandbox/notify",
    operationId: "sendSandboxNotification",
    summary: "Let the sandbox gateway send a notification with any outcome, several times at once",
    permission: "test_clock:write",
    body: SandboxNotify,
    replies: { 200: SandboxNotified },
    async run({ ctx, services, body }) {
      const answers = await notifyOnDemand(services, ctx, body);
      return { status: 200, body: { reference: body.reference, status: body.status, answers } };
    },
  }),
];
