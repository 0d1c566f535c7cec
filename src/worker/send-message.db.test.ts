import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLICKATELL, openMessagingStandIn } from "../../test/support/messaging-stand-ins.ts";
import { eventually, openFixture, startIn } from "../../test/support/worker.ts";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { putMessageAccount } from "../flows/messages/accounts.ts";
import { requestMessage } from "../flows/messages/request-message.ts";
import { clickatell } from "../gateways/messaging/clickatell.ts";
import type { Organisation } from "../modules/organisations/types.ts";

/** An organisation with a test message that waits, which may leave at any hour. */
async function openWaiting(t: TestContext, facts: Partial<Organisation> = {}) {
  const standIn = await openMessagingStandIn(CLICKATELL);
  t.after(() => standIn.close());
  const opened = await openFixture(t);
  const fixture = { ...opened, services: { ...opened.services, gatewayUrl: () => standIn.url } };
  const organisation = await fixture.addOrganisation(facts);
  const ctx = contextFor(fixture.services, organisation, SYSTEM);
  const ask = () =>
    fixture.services.db.transaction(organisation.id, (tx) =>
      requestMessage(tx, ctx, {
        channel: "sms",
        kind: "test",
        about: organisation.id,
        customer: null,
        phone: "082 123 4567",
        parts: { what: "A test", amount: "R 1.00", url: "https://pay.example" },
      }),
    );
  await fixture.services.db.transaction(organisation.id, (tx) =>
    putMessageAccount(tx, ctx, "sms", { provider: "clickatell", enabled: true, credentials: CLICKATELL.credentials }),
  );
  const rows = () => fixture.query<{ status: string; error: string | null }>("select * from messages order by id");
  const work = () => fixture.query<{ attempts: number }>("select * from due_work where kind = 'message.send'");
  return { standIn, fixture, ask, rows, work };
}

test("each message is sent once, however many workers there are", async (t) => {
  const { standIn, fixture, ask, rows, work } = await openWaiting(t);
  for (let n = 0; n < 8; n++) await ask();
  startIn(t, fixture);
  startIn(t, fixture);
  await eventually("sent", async () => (await rows()).every(({ status }) => status === "sent"));
  assert.equal(new Set(standIn.taken.map(({ ours }) => ours)).size, 8);
  assert.equal(standIn.taken.length, 8);
  await eventually("nothing left to do", async () => (await work()).length === 0);
});

test("a busy provider is asked again", async (t) => {
  const { standIn, fixture, ask, rows } = await openWaiting(t);
  standIn.fail("busy");
  await ask();
  startIn(t, fixture);
  await eventually("put off", async () => {
    const [row] = await rows();
    return row?.status === "queued" && row.error !== null;
  });
  standIn.fail(null);
  await eventually("sent after the wait", async () => (await rows())[0]?.status === "sent");
  assert.deepEqual([standIn.taken.length, (await rows())[0]?.error], [1, null]);
});

test("a provider that stays busy makes the message fail in the end", async (t) => {
  const { standIn, fixture, ask, rows, work } = await openWaiting(t);
  standIn.fail("busy");
  await ask();
  await fixture.query("update due_work set attempts = 11");
  startIn(t, fixture);
  await eventually("failed", async () => (await rows())[0]?.status === "failed");
  assert.deepEqual(await work(), []);
});

test("a message whose process died while it was sent is unknown, and not sent again", async (t) => {
  const { standIn, fixture, ask, rows, work } = await openWaiting(t);
  await ask();
  await fixture.query("update messages set status = 'sending'");
  startIn(t, fixture);
  await eventually("given up", async () => (await rows())[0]?.status === "unknown");
  await eventually("nothing left to do", async () => (await work()).length === 0);
  assert.equal(standIn.requests(), 0);
});

for (const [sandbox, status, calls] of [
  [true, "not_sent", 0],
  [false, "sent", 1],
] as const)
  test(`without a stand-in, messages of a ${sandbox ? "sandbox" : "live organisation"} are ${status}`, async (t) => {
    const { fixture, ask, rows, work } = await openWaiting(t, { sandbox });
    const send = t.mock.method(clickatell, "send", async () => ({ kind: "accepted", ref: "ref" }) as const);
    await ask();
    startIn(t, { ...fixture, services: { ...fixture.services, gatewayUrl: () => null } });
    await eventually("decided", async () => (await rows())[0]?.status === status);
    await eventually("nothing left to do", async () => (await work()).length === 0);
    assert.deepEqual([send.mock.callCount(), (await rows())[0]?.error === null], [calls, !sandbox]);
  });
