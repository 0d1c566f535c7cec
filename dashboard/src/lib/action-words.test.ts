import assert from "node:assert/strict";
import { test } from "node:test";
import { actionWords } from "./action-words.ts";

test("an action of the audit log becomes words", () => {
  const read = {
    "POST /invoices": "Created",
    "POST /invoices/{id}/send": "Sent",
    "PATCH /customers/{id}": "Updated",
    "DELETE /payment-links/{id}": "Deleted",
    "POST /transactions/{reference}/refunds": "Refunded",
    "GET /eft-orders/{id}/proofs/{proofId}": "Viewed the proof",
    "DELETE /customer-subscriptions/{id}/pending-change": "Deleted the pending change",
    "POST /auth/sign-in/email": "Signed in",
    "POST /notes": "Note added",
    "PUT /allowed-return-urls": "Updated",
    "POST /quote/{token}": "Answered on its page",
    "POST /sign-mandate/{token}": "Agreement signed",
    "subscription.renewed": "Subscription renewed",
  };
  for (const [action, expected] of Object.entries(read)) assert.equal(actionWords(action), expected);
});
