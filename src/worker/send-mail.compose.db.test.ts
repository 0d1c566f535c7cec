import assert from "node:assert/strict";
import { test } from "node:test";
import { mailsOf } from "../../test/support/mails.ts";
import { eventually, type Fixture, openFixture, openMailbox, startIn } from "../../test/support/worker.ts";
import { MAILS } from "../catalogue.ts";
import { type Ctx, contextFor, SYSTEM } from "../flows/context.ts";
import { upsertCustomer } from "../flows/customers/save-customer.ts";
import { createInvoice } from "../flows/invoices/create-invoice.ts";
import { recordOfflinePayment } from "../flows/invoices/record-offline-payment.ts";
import { composeMails } from "../flows/mail/compose-mails.ts";
import { declareMail, type MailTable, requestMail } from "../flows/mail/mail.ts";
import { issuePortalLink } from "../flows/portal-access/issue-portal-link.ts";
import { unwrittenEmails } from "../modules/emails/store.ts";
import { InvoiceCreate, OfflinePaymentCreate } from "../modules/invoices/schema.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import type { Tx } from "../platform/database.ts";
import { createMailer } from "../platform/mailer.ts";
import { html } from "../templates/html.ts";

const inTx = async <T>(fixture: Fixture, of: Organisation, work: (tx: Tx, ctx: Ctx) => Promise<T>): Promise<T> => {
  const ctx = contextFor(fixture.services, await fixture.organisation(of), SYSTEM);
  return fixture.services.db.transaction(of.id, (tx) => work(tx, ctx));
};
const customerOf = (fixture: Fixture, of: Organisation) =>
  inTx(fixture, of, async (tx, ctx) => (await upsertCustomer(tx, ctx, { email: "thandi@example.co.za" })).customer);
const sendInvoice = async (fixture: Fixture, of: Organisation) => {
  const customer = await customerOf(fixture, of);
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
  const body = InvoiceCreate.parse({ customerId: customer.id, lines, send: true });
  return inTx(fixture, of, async (tx, ctx) => (await createInvoice(tx, ctx, body)).invoice);
};
interface Row {
  id: string;
  status: string;
  subject: string | null;
  html_body: string | null;
  facts: unknown;
  secret_sealed: string | null;
}
const rows = (fixture: Fixture) => fixture.query<Row>("select * from emails order by id");
const kinds = async (fixture: Fixture) =>
  (await fixture.query<{ kind: string }>("select kind from due_work where kind like 'mail.%'")).map(({ kind }) => kind);

/** The mails, with a count of how often each was written. */
function counting(): { mails: MailTable; written: string[] } {
  const written: string[] = [];
  const mails = [...MAILS].map(([kind, mail]) => {
    const compose: typeof mail.compose = (tx, ctx, asked) => {
      written.push(asked.about);
      return mail.compose(tx, ctx, asked);
    };
    return [kind, { ...mail, compose }] as const;
  });
  return { mails: new Map(mails), written };
}

test("creating and sending an invoice writes only a request for the mail, and readers see the mail", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const { number } = await sendInvoice(fixture, organisation);
  const [row, ...more] = await rows(fixture);
  assert.deepEqual([row?.status, row?.subject, row?.html_body, more], ["recorded", null, null, []]);
  assert.deepEqual(await kinds(fixture), ["mail.compose"]);
  const [read] = await mailsOf(fixture.services, organisation);
  assert.match(read?.subject ?? "", new RegExp(`^TEST: Invoice ${number} `));
  assert.deepEqual((await rows(fixture))[0]?.html_body, null, "reading keeps nothing");

  startIn(t, fixture);
  await eventually("written", async () => (await rows(fixture))[0]?.html_body !== null);
  const { subject, text, html, status } = (await mailsOf(fixture.services, organisation))[0] ?? {};
  assert.deepEqual({ subject, text, html, status }, { ...pick(read), status: "recorded" });
  assert.deepEqual((await rows(fixture))[0]?.facts, null);
});

const pick = (mail: { subject: string; text: string; html: string } | undefined) => ({
  subject: mail?.subject,
  text: mail?.text,
  html: mail?.html,
});

test("two workers write a mail once and send it once, also when no worker runs at the time of the request", async (t) => {
  const mailbox = await openMailbox(t);
  const fixture = await openFixture(t, { mailer: createMailer(mailbox.url) });
  const organisation = await fixture.addOrganisation();
  const numbers: string[] = [];
  // No worker runs, as if every process had ended after the requests.
  for (let n = 0; n < 12; n++) numbers.push((await sendInvoice(fixture, organisation)).number);
  assert.deepEqual(
    new Set((await rows(fixture)).map(({ status, html_body }) => `${status} ${html_body}`)),
    new Set(["queued null"]),
  );
  const { mails, written } = counting();
  startIn(t, { ...fixture, mails });
  startIn(t, { ...fixture, mails });
  await eventually("sent", async () => (await rows(fixture)).every(({ status }) => status === "sent"));
  assert.equal(mailbox.messages.length, 12);
  for (const number of numbers)
    assert.equal(mailbox.messages.filter((message) => message.includes(`Invoice ${number} `)).length, 1, number);
  assert.equal(written.length, 12);
  await eventually("nothing left to do", async () => (await kinds(fixture)).length === 0);
});

test("a mail that cannot be written delays no other, and is put off", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const [bad] = [await sendInvoice(fixture, organisation), await sendInvoice(fixture, organisation)];
  const mails = new Map([...MAILS]);
  const invoice = MAILS.get("invoice");
  assert.ok(invoice);
  mails.set("invoice", {
    ...invoice,
    compose: (tx, ctx, asked) => {
      if (asked.about === bad.id) throw new Error("a fault of this mail alone");
      return invoice.compose(tx, ctx, asked);
    },
  });
  startIn(t, { ...fixture, mails });
  await eventually("the other is written", async () => (await rows(fixture))[1]?.html_body !== null);
  const work = () =>
    fixture.query<{ last_error: string | null }>("select last_error from due_work where kind = 'mail.compose'");
  await eventually("put off", async () => (await work())[0]?.last_error === "a fault of this mail alone");
  assert.equal((await rows(fixture))[0]?.html_body, null);
});

test("a payment after the invoice was sent does not change what its mail asked for", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const { id } = await sendInvoice(fixture, organisation);
  const [asked] = await mailsOf(fixture.services, organisation);
  await inTx(fixture, organisation, (tx, ctx) =>
    recordOfflinePayment(tx, ctx, id, OfflinePaymentCreate.parse({ amount: 115, method: "eft" })),
  );
  const [later] = await mailsOf(fixture.services, organisation, { kind: "invoice" });
  assert.deepEqual(pick(later), pick(asked));
  assert.match(later?.subject ?? "", /115\.00/);
});

test("the token of a link that is shown once is sealed in the row until the mail is written", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const customer = await customerOf(fixture, organisation);
  const link = await inTx(fixture, organisation, (tx, ctx) => issuePortalLink(tx, ctx, customer.id, { email: true }));
  const token = link?.url.split("/").at(-1) ?? "";
  assert.match(token, /^[\w-]{64}$/);
  const [row] = await rows(fixture);
  assert.ok(row?.secret_sealed);
  assert.ok(!JSON.stringify(row).includes(token));
  assert.ok((await mailsOf(fixture.services, organisation))[0]?.text.includes(link?.url ?? "no link"));
  startIn(t, fixture);
  await eventually("written", async () => (await rows(fixture))[0]?.html_body !== null);
  assert.equal((await rows(fixture))[0]?.secret_sealed, null);
  assert.ok((await mailsOf(fixture.services, organisation))[0]?.text.includes(link?.url ?? "no link"));
});

test("searching finds written and unwritten mails, page by page", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const numbers: string[] = [];
  for (let n = 0; n < 5; n++) numbers.push((await sendInvoice(fixture, organisation)).number);
  const found = async () =>
    (await mailsOf(fixture.services, organisation, { q: numbers[1]?.toLowerCase() ?? "" })).length;
  assert.equal(await found(), 1);
  assert.equal((await mailsOf(fixture.services, organisation, { q: "no such mail" })).length, 0);
  assert.equal((await mailsOf(fixture.services, organisation, { q: "THANDI@example" })).length, 5);
  startIn(t, fixture);
  await eventually("written", async () => (await kinds(fixture)).length === 0);
  assert.equal(await found(), 1);
});

test("mails that are written together are stored and asked to be sent in as many statements as one", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const mail = { subject: "A subject", text: "A text", html: html`<p>A text</p>` };
  const plain = declareMail("plain", async () => ({ fromName: "Thandi", replyTo: null, mail }));
  const statementsFor = async (count: number) => {
    await inTx(fixture, organisation, async (tx, ctx) => {
      for (let n = 0; n < count; n++)
        requestMail(tx, { ...ctx, mailEnabled: true }, plain, {
          about: `a${n}`,
          to: ["thandi@example.co.za"],
          facts: {},
        });
    });
    const ids = (await rows(fixture)).map(({ id }) => id);
    let statements = 0;
    await inTx(fixture, organisation, async (tx, ctx) => {
      const counting: Tx = {
        ...tx,
        sql: (...given) => {
          statements++;
          return tx.sql(...given);
        },
        queue: (...given) => {
          statements++;
          tx.queue(...given);
        },
      };
      await composeMails(counting, ctx, new Map([["plain", plain]]), await unwrittenEmails(tx, ids), { sends: true });
    });
    return statements;
  };
  assert.equal(await statementsFor(1), await statementsFor(60));
  const written = await rows(fixture);
  assert.deepEqual(
    [written.length, new Set(written.map(({ status, subject }) => `${status} ${subject}`))],
    [61, new Set(["queued A subject"])],
  );
  assert.equal((await kinds(fixture)).filter((kind) => kind === "mail.send").length, 61);
});
