import { notifyOnDemand } from "../../flows/sandbox-gateway/notify-on-demand.ts";
import { SandboxNotified, SandboxNotify } from "../../modules/sandbox-gateway/schema.ts";
import { ownTransactionsEndpoint } from "../endpoint.ts";

/** The endpoint of interface 13.6, which makes the sandbox gateway send a notification. */
export const sandboxEndpoints = [
  ownTransactionsEndpoint({
    audience: "staff",
    tag: { name: "Sandbox", about: "The gateway of a sandbox organisation, which sends any notification on request." },
    method: "POST",
    path: "/sandbox/notify",
    summary: "Let the sandbox gateway send a notification with any outcome, several times at once",
    permission: "test_clock:write",
    // A gateway's notification is accepted for a read-only account too.
    writes: false,
    body: SandboxNotify,
    replies: { 200: SandboxNotified },
    async run({ ctx, services, body }) {
      const answers = await notifyOnDemand(services, ctx, body);
      return { status: 200, body: { reference: body.reference, status: body.status, answers } };
    },
  }),
];
