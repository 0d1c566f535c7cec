import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addWrittenMail } from "../../test/support/mails.ts";
import { machineNow } from "../kernel/time.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { createMailer, type Mailer } from "../platform/mailer.ts";
import { eventually, type House, openHouse, openMailbox } from "./testing.ts";
import { startWorker } from "./worker.ts";

const start = (t: TestContext, house: House) => {
  const worker = startWorker(house);
  t.after(() => worker.stop());
  return worker;
};

const write = (house: House, of: Organisation, key: string, to = "payer@customer.example") =>
  house.services.db.transaction(of.id, async (tx) => {
    const about = { dedupeKey: key, kind: "receipt", recipients: [to], createdAt: machineNow() };
    addWrittenMail(tx, { ...about, subject: `About ${key}`, text: `Text of ${key}` }, { sends: true });
  });

interface EmailRow {
  id: string;
  status: string;
  error: string | null;
  sent_at: Date | null;
}
const emails = (house: House) => house.query<EmailRow>("select * from emails order by id");
const statuses = async (house: House) => (await emails(house)).map(({ status }) => status);

test("a recorded mail is sent once, however many workers there are", async (t) => {
  const mailbox = await openMailbox(t);
  const house = await openHouse(t, { mailer: createMailer(mailbox.url) });
  const organisation = await house.addOrganisation();
  start(t, house);
  start(t, house);
  for (let index = 0; index < 12; index++) await write(house, organisation, `mail-${index}`);
  await write(house, organisation, "mail-3");
  await eventually("all sent", async () => (await statuses(house)).every((status) => status === "sent"));
  await sleep(200);
  assert.equal(mailbox.messages.length, 12);
  const [email] = await emails(house);
  const [message] = mailbox.messages.filter((text) => text.includes("Text of mail-0"));
  assert(email && message);
  assert.match(message, new RegExp(`^Message-ID: <${email.id}@pay\\.example>`, "m"));
  assert.match(message, /^From: "?Thandi's Shop"? <no-reply@pay\.example>/m);
  assert.match(message, /^Reply-To: .*<help@shop\.example>/m);
  assert.ok(email.sent_at);
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});

test("a mail whose sender died on the way is unknown, and not sent again", async (t) => {
  const mailbox = await openMailbox(t);
  const house = await openHouse(t, { mailer: createMailer(mailbox.url) });
  const organisation = await house.addOrganisation();
  mailbox.silent = true;
  const first = start(t, house);
  await write(house, organisation, "mail");
  await eventually("with the server", () => mailbox.messages.length === 1);
  assert.deepEqual(await statuses(house), ["sending"]);
  // As if the process had been killed there: another finds the lease over.
  mailbox.silent = false;
  await house.query("update due_work set lease_until = clock_timestamp() - interval '1 second'");
  start(t, house);
  await eventually("given up", async () => (await statuses(house))[0] === "unknown");
  const [email] = await emails(house);
  assert.match(email?.error ?? "", /ended before the mail server had answered/);
  await sleep(1300);
  assert.equal(mailbox.messages.length, 1);
  assert.deepEqual(await house.query("select 1 from due_work"), []);
  void first;
});

test("a mail server that is away is tried again; its refusal of the mail is final", async (t) => {
  const mailbox = await openMailbox(t);
  const house = await openHouse(t, { mailer: createMailer(mailbox.url) });
  const organisation = await house.addOrganisation();
  start(t, house);
  mailbox.refuse = { code: 451, message: "try again later" };
  await write(house, organisation, "greylisted");
  await eventually("put off", async () => (await emails(house))[0]?.error !== null);
  assert.deepEqual(await statuses(house), ["queued"]);
  mailbox.refuse = null;
  await eventually("sent after the wait", async () => (await statuses(house))[0] === "sent");
  assert.equal((await emails(house))[0]?.error, null);

  mailbox.refuse = { code: 550, message: "no such person" };
  await write(house, organisation, "nobody", "nobody@customer.example");
  await eventually("refused", async () => (await statuses(house))[1] === "failed");
  assert.match((await emails(house))[1]?.error ?? "", /no such person/);
  assert.equal(mailbox.messages.length, 1);
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});

test("a mail that cannot be sent for a long time fails in the end", async (t) => {
  const house = await openHouse(t, { mailer: createMailer("smtp://127.0.0.1:1") });
  const organisation = await house.addOrganisation();
  await write(house, organisation, "mail");
  await house.query("update due_work set attempts = 11");
  start(t, house);
  await eventually("failed", async () => (await statuses(house))[0] === "failed");
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});

test("what was queued when mail is no longer set up stays recorded", async (t) => {
  const sending: Mailer = createMailer("smtp://127.0.0.1:1");
  const house = await openHouse(t, { mailer: sending });
  const organisation = await house.addOrganisation();
  await write(house, organisation, "mail");
  const worker = startWorker({ ...house, mailer: createMailer(null) });
  t.after(() => worker.stop());
  await eventually("recorded", async () => (await statuses(house))[0] === "recorded");
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});
