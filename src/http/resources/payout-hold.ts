import { PayoutHoldObject, payoutHoldView } from "../../modules/bank-detail-changes/schema.ts";
import { holdingChanges } from "../../modules/bank-detail-changes/store.ts";
import { endpoint } from "../endpoint.ts";

/** Interface 18.1. */
export const payoutHoldEndpoints = [
  endpoint({
    audience: "staff",
    tag: { name: "Gateways", about: "Accounts at payment gateways." },
    method: "GET",
    path: "/payout-hold",
    summary: "Tell whether changes of bank details hold payouts, until when, and who made them",
    permission: "gateways:read",
    replies: { 200: PayoutHoldObject },
    handle: async ({ ctx }, tx) => ({ status: 200, body: payoutHoldView(await holdingChanges(tx, ctx.now)) }),
  }),
];
