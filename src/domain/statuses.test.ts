import assert from "node:assert/strict";
import { test } from "node:test";
import { CUSTOMER_SUBSCRIPTION_STATUSES } from "../modules/customer-subscriptions/types.ts";
import { isDecided } from "../modules/refunds/rules.ts";
import { hasEnded, IN_ENDED } from "./customer-subscriptions.ts";
import { IN_BOOKED, IN_UNDECIDED } from "./refunds.ts";

const statusesIn = ({ strings }: { readonly strings: readonly string[] }): string[] =>
  [...strings.join("").matchAll(/'(\w+)'/g)].map(([, status = ""]) => status);

test("a subscription has ended in the same statuses in SQL", () => {
  assert.deepEqual(
    statusesIn(IN_ENDED),
    CUSTOMER_SUBSCRIPTION_STATUSES.filter((status) => hasEnded({ status })),
  );
});

test("a refund is undecided in the same statuses in SQL; one that failed or was only asked for is not in the books", () => {
  const all = ["requested", "pending", "processed", "failed"] as const;
  assert.deepEqual(
    statusesIn(IN_UNDECIDED),
    all.filter((status) => !isDecided({ status })),
  );
  assert.deepEqual(statusesIn(IN_BOOKED), ["pending", "processed"]);
});
