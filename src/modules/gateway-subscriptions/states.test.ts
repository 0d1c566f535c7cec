import assert from "node:assert/strict";
import { test } from "node:test";
import { moveSubscription, type SubscriptionAction } from "./states.ts";
import { GATEWAY_SUBSCRIPTION_STATUSES, type GatewaySubscriptionStatus } from "./types.ts";

test("interface 3.12, cell for cell", () => {
  const table: Record<GatewaySubscriptionStatus, readonly (GatewaySubscriptionStatus | null)[]> = {
    pending: [null, null, null],
    active: ["paused", "active", "cancelled"],
    past_due: ["paused", "past_due", "cancelled"],
    paused: ["paused", "active", "cancelled"],
    cancelled: [null, null, "cancelled"],
  };
  const actions: readonly SubscriptionAction[] = ["pause", "resume", "cancel"];
  for (const status of GATEWAY_SUBSCRIPTION_STATUSES)
    assert.deepEqual(
      actions.map((action) => moveSubscription(status, action)),
      table[status],
      status,
    );
});
