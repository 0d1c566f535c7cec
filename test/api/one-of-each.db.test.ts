import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openApi } from "../support/api.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";
import { isSigned } from "../support/signature.ts";

const AT_ONCE = 20;
const PAYER = "thandi@example.co.za";

test(`${AT_ONCE} notifications at once: one move, one webhook that verifies, one receipt`, async (t) => {
  const api = await openApi({ PROCESS: "all" });
  t.after(() => api.close());
  const merchant = await api.addMerchant();
  const account = await merchant.addGateway({ credentials: CREDENTIALS });
  const staff = await merchant.signIn("owner");
  const received: { body: string; signature: string }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push({ body: await text(request), signature: String(request.headers["service-signature"]) });
    response.end();
  }).listen(0, "127.0.0.1");
  t.after(() => receiver.close());
  await once(receiver, "listening");
  const address = receiver.address();
  assert.ok(address && typeof address === "object");
  const url = `http://127.0.0.1:${address.port}/hook`;
  const { body: endpoint } = await staff<{ secret: string }>("POST", "/webhook-endpoints", { url, events: ["*"] });
  const link = await merchant.post<{ id: string }>("/payment-links", { title: "Deposit", amount: 100 });
  const reference = await addPayment(api, merchant, account, { linkId: link.body.id });

  const report = { payment: reportedPayment(reference, "complete", { payerEmail: PAYER }) };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => notify(api, account, report)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const receipts = async () =>
    (await staff<{ data: { kind: string; recipients: string[] }[] }>("GET", "/emails")).body.data;
  for (let tries = 0; tries < 1_000 && (received.length === 0 || (await receipts()).length === 0); tries++)
    await sleep(50);
  await sleep(500); // a second one would have arrived in this time

  assert.deepEqual(
    received.map(({ body }) => (JSON.parse(body) as { type: string }).type),
    ["payment.complete"],
  );
  for (const { body, signature } of received) assert.ok(isSigned(signature, body, endpoint.secret));
  assert.deepEqual(
    (await receipts()).map(({ kind, recipients }) => [kind, recipients]),
    [["receipt", [PAYER]]],
  );
  const { body: paid } = await merchant.get<{ paidCount: number; active: boolean }>(`/payment-links/${link.body.id}`);
  assert.deepEqual([paid.paidCount, paid.active], [1, false]);
});
