import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addWrittenMail } from "../../test/support/mails.ts";
import { eventually, type Fixture, openFixture, openMailbox } from "../../test/support/worker.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { createMailer, type Mailer } from "../platform/mailer.ts";
import { startWorker } from "./worker.ts";

const start = (t: TestContext, fixture: Fixture) => {
  const worker = startWorker(fixture);
  t.after(() => worker.stop());
  return worker;
};

const write = (fixture: Fixture, of: Organisation, key: string, to = "payer@customer.example") =>
  fixture.services.db.transaction(of.id, async (tx) => {
    const about = { dedupeKey: key, kind: "receipt", recipients: [to], createdAt: machineNow() };
    await addWrittenMail(tx, { ...about, subject: `About ${key}`, text: `Text of ${key}` }, { sends: true });
  });

interface EmailRow {
  id: string;
  status: string;
  error: string | null;
  sent_at: Date | null;
}
const emails = (fixture: Fixture) => fixture.query<EmailRow>("select * from emails order by id");
const statuses = async (fixture: Fixture) => (await emails(fixture)).map(({ status }) => status);

test("a recorded mail is sent once, however many workers there are", async (t) => {
  const mailbox = await openMailbox(t);
  const fixture = await openFixture(t, { mailer: createMailer(mailbox.url) });
  const organisation = await fixture.addOrganisation();
  start(t, fixture);
  start(t, fixture);
  for (let index = 0; index < 12; index++) await write(fixture, organisation, `mail-${index}`);
  await write(fixture, organisation, "mail-3");
  await eventually("nothing is left to do", async () => (await fixture.query("select 1 from due_work")).length === 0);
  assert.deepEqual(await statuses(fixture), Array(12).fill("sent"));
  assert.equal(mailbox.messages.length, 12);
  const [email] = await emails(fixture);
  const [message] = mailbox.messages.filter((text) => text.includes("Text of mail-0"));
  assert(email && message);
  assert.match(message, new RegExp(`^Message-ID: <${email.id}@pay\\.example>`, "m"));
  assert.match(message, /^From: "?Thandi's Shop"? <no-reply@pay\.example>/m);
  assert.match(message, /^Reply-To: .*<help@shop\.example>/m);
  assert.ok(email.sent_at);
});

test("a mail whose sender died while sending is unknown, and not sent again", async (t) => {
  const mailbox = await openMailbox(t);
  const fixture = await openFixture(t, { mailer: createMailer(mailbox.url) });
  const organisation = await fixture.addOrganisation();
  mailbox.silent = true;
  const first = start(t, fixture);
  await write(fixture, organisation, "mail");
  await eventually("with the server", () => mailbox.messages.length === 1);
  assert.deepEqual(await statuses(fixture), ["sending"]);
  // As if the process had been killed: another one finds that the lease has run out.
  mailbox.silent = false;
  await fixture.query("update due_work set lease_until = clock_timestamp() - interval '1 second'");
  start(t, fixture);
  await eventually("given up", async () => (await statuses(fixture))[0] === "unknown");
  const [email] = await emails(fixture);
  assert.match(email?.error ?? "", /ended before the mail server had answered/);
  await sleep(1300);
  assert.equal(mailbox.messages.length, 1);
  assert.deepEqual(await fixture.query("select 1 from due_work"), []);
  void first;
});

test("a mail server that is away is tried again; its refusal of the mail is final", async (t) => {
  const mailbox = await openMailbox(t);
  const fixture = await openFixture(t, { mailer: createMailer(mailbox.url) });
  const organisation = await fixture.addOrganisation();
  start(t, fixture);
  mailbox.refuse = { code: 451, message: "try again later" };
  await write(fixture, organisation, "greylisted");
  await eventually("put off", async () => {
    const [email] = await emails(fixture);
    return email?.status === "queued" && email.error !== null;
  });
  mailbox.refuse = null;
  await eventually("sent after the wait", async () => (await statuses(fixture))[0] === "sent");
  assert.equal((await emails(fixture))[0]?.error, null);

  mailbox.refuse = { code: 550, message: "no such person" };
  await write(fixture, organisation, "nobody", "nobody@customer.example");
  await eventually("refused", async () => (await statuses(fixture))[1] === "failed");
  assert.match((await emails(fixture))[1]?.error ?? "", /no such person/);
  assert.equal(mailbox.messages.length, 1);
  assert.deepEqual(await fixture.query("select 1 from due_work"), []);
});

test("a mail that cannot be sent for a long time fails in the end", async (t) => {
  const fixture = await openFixture(t, { mailer: createMailer("smtp://127.0.0.1:1") });
  const organisation = await fixture.addOrganisation();
  await write(fixture, organisation, "mail");
  await fixture.query("update due_work set attempts = 11");
  start(t, fixture);
  await eventually("failed", async () => (await statuses(fixture))[0] === "failed");
  assert.deepEqual(await fixture.query("select 1 from due_work"), []);
});

test("a mail that was queued before mail was switched off stays recorded", async (t) => {
  const sending: Mailer = createMailer("smtp://127.0.0.1:1");
  const fixture = await openFixture(t, { mailer: sending });
  const organisation = await fixture.addOrganisation();
  await write(fixture, organisation, "mail");
  const worker = startWorker({ ...fixture, mailer: createMailer(null) });
  t.after(() => worker.stop());
  await eventually("recorded", async () => (await statuses(fixture))[0] === "recorded");
  assert.deepEqual(await fixture.query("select 1 from due_work"), []);
});
