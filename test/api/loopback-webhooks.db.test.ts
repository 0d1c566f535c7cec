import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openApi, signIn } from "../support/api.ts";

/* The operator's switch LOOPBACK_WEBHOOKS (interface 11.1, 13.3). */

test("webhooks go to this machine only while its operator allows it, those of earlier endpoints included", async (t) => {
  let asked = 0;
  const inner = createServer((_request, response) => {
    asked++;
    response.end("a secret of another service");
  }).listen(0, "127.0.0.1");
  t.after(() => inner.close());
  await new Promise((ready) => inner.once("listening", ready));
  const url = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/hook`;
  const now = "2027-03-01T10:00:00.000Z";

  const open = await openApi({ PROCESS: "all" });
  const shop = await open.addMerchant({ clockAt: new Date(now) as never });
  const owner = await shop.addStaff();
  const made = await (await shop.signIn())<{ id: string }>("POST", "/webhook-endpoints", { url });
  assert.equal(made.status, 201, made.text);

  await open.close();
  const closed = await openApi({ ...open.environment, LOOPBACK_WEBHOOKS: "0" });
  t.after(() => closed.close());
  const staff = await signIn(closed, owner);
  const refused = await staff<{ message: string }>("POST", "/webhook-endpoints", { url });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /its own machine.*LOOPBACK_WEBHOOKS=1/);
  await staff("POST", `/webhook-endpoints/${made.body.id}/test`, {});
  await staff("POST", "/test-clock", { now: "2027-03-01T10:00:30.000Z" });
  assert.equal(asked, 0);
  const { data } = (
    await staff<{ data: { attempts: { responseExcerpt: string | null }[] }[] }>("GET", "/webhook-deliveries")
  ).body;
  assert.ok((data[0]?.attempts.length ?? 0) > 0);
  assert.equal(data[0]?.attempts[0]?.responseExcerpt, null);
});
