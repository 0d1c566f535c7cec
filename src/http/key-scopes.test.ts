import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENT_ENDPOINTS } from "../catalogue.ts";
import { mayUse, SCOPES } from "../modules/api-keys/rules.ts";
import { scopesOf } from "./key-scopes.ts";

/** The subject of the scopes that the paths of a resource need: the first that matches the beginning of a path. */
const SUBJECTS: readonly (readonly [string, string])[] = [
  ["/customers/{id}/cards", "cards"],
  ["/customers/{id}/statement", "accounting"],
  ["/customers/{id}/credit-refunds", "refunds"],
  ["/customers/{id}/payable-credit", "refunds"],
  ["/customers/{id}/entitlements", "subscriptions"],
  ["/customers", "customers"],
  ["/payment-links", "payment_links"],
  ["/transactions/{reference}/refunds", "refunds"],
  ["/transactions", "transactions"],
  ["/receipts", "transactions"],
  ["/disputes", "transactions"],
  ["/invoices", "invoices"],
  ["/credit-notes", "credit_notes"],
  ["/quotes", "quotes"],
  ["/eft-orders", "eft_orders"],
  ["/mandates", "mandates"],
  ["/debit-batches", "debit_batches"],
  ["/unpaid-debits", "debit_batches"],
  ["/customer-subscriptions/{id}/items/{item}/usage", "usage"],
  ["/usage-events", "usage"],
  ["/customer-subscriptions", "subscriptions"],
  ["/packages/{id}/shadow", "subscriptions"],
  ["/subscriptions", "gateway_subscriptions"],
  ["/products", "catalogue"],
  ["/packages", "catalogue"],
  ["/plans", "catalogue"],
  ["/coupons", "catalogue"],
  ["/checkout-sessions", "checkout"],
  ["/checkout", "checkout"],
  ["/reconciliation", "reconciliation"],
  ["/accounting/referral-links", "settings"],
  ["/accounting", "accounting"],
  ["/exports", "accounting"],
  ["/overview", "accounting"],
  ["/subscription-movements", "accounting"],
  ["/webhook-endpoints", "webhooks"],
  ["/webhook-deliveries", "events"],
  ["/event-types", ""],
  ["/events", "events"],
  ["/request-log", "request_log"],
  ["/test-clock", "test_clock"],
  ["/sandbox", "test_clock"],
  ["/gateways", "settings"],
  ["/gateway-types", "settings"],
  ["/settings", "settings"],
  ["/search", ""],
  ["/me", ""],
];

const READS_BY_POST = ["/customer-subscriptions/{id}/preview-change"];

test("each endpoint of the client API needs the scope of its resource, read for GET and write for what changes", () => {
  for (const { method, path, scope, permission } of CLIENT_ENDPOINTS) {
    const subject = SUBJECTS.find(([begin]) => path.startsWith(begin))?.[1];
    assert.notEqual(subject, undefined, `name the subject of ${path}`);
    const access = method === "GET" || READS_BY_POST.includes(path) ? "read" : "write";
    const [needed] = scopesOf({ ...(scope === undefined ? {} : { scope }), permission });
    assert.equal(needed ?? "", subject === "" ? "" : `${subject}:${access}`, `${method} ${path}`);
  }
});

test("each scope opens its own reads and, when it writes, its writes, and nothing of another", () => {
  for (const held of SCOPES)
    for (const needed of SCOPES) {
      const [subject, access] = held.split(":");
      const opens = needed === held || (access === "write" && needed === `${subject}:read`);
      assert.equal(mayUse([held], needed), opens, `${held} for ${needed}`);
    }
  for (const needed of SCOPES) {
    assert.equal(mayUse(null, needed), true, "a key without scopes may do all");
    assert.equal(mayUse([], needed), false, "a key with none of them may do nothing");
  }
});
