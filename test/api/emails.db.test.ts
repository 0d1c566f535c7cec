import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MAILS, RECORDS } from "../../src/catalogue.ts";
import { declareMail } from "../../src/flows/mail/mail.ts";
import { emailEndpoints } from "../../src/http/resources/emails.ts";
import { insertEmails } from "../../src/modules/emails/store.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import { addWrittenMail } from "../support/mails.ts";
import { addMerchant, dataOf, type Merchant, openMerchant } from "../support/merchant.ts";

describe("emails", () => {
  let merchant: Merchant;
  const ids: Record<string, string> = {};
  const WRITTEN = [
    { kind: "receipt", recipients: ["Thandi@shop.example"], subject: "Receipt for R 100.00" },
    { kind: "receipt", recipients: ["sipho@shop.example", "boss@shop.example"], subject: "Receipt for 50% off" },
    { kind: "portal_link", recipients: ["thandi@shop.example"], subject: "Your account" },
  ];
  before(async () => {
    merchant = await openMerchant(emailEndpoints(MAILS, RECORDS));
    const { services } = merchant.dashboard;
    for (const { kind, recipients, subject } of WRITTEN)
      await services.db.transaction(merchant.organisation.id, async (tx) => {
        const written = { text: `text of ${subject}`, html: `<p>html of ${subject}</p>`, createdAt: machineNow() };
        ids[subject] = await addWrittenMail(
          tx,
          { dedupeKey: subject, kind, recipients, subject, ...written },
          { sends: false },
        );
      });
    await merchant.call("POST", "/members", { email: "new@shop.example", role: "viewer" });
  });
  after(() => merchant.close());

  const subjects = async (query: string) =>
    dataOf(await merchant.call("GET", `/emails${query}`)).map(({ subject }) => subject);

  test("are all listed, newest first, with text and html", async () => {
    const [invitation, , , oldest] = dataOf(await merchant.call("GET", "/emails"));
    assert.equal(invitation?.["kind"], "invitation");
    assert.match(String(invitation?.["text"]), /\/dashboard\/invitations\/[A-Za-z0-9_-]{64}/);
    const { createdAt, ...rest } = oldest ?? {};
    assert.match(String(createdAt), /Z$/);
    assert.deepEqual(rest, {
      id: ids["Receipt for R 100.00"],
      kind: "receipt",
      recipients: ["Thandi@shop.example"],
      replyTo: "help@shop.example",
      fromName: "Thandi's Shop",
      subject: "Receipt for R 100.00",
      text: "text of Receipt for R 100.00",
      html: "<p>html of Receipt for R 100.00</p>",
      status: "recorded",
      error: null,
      sentAt: null,
    });
    assert.deepEqual((await merchant.call("GET", `/emails/${rest["id"]}`)).body, oldest);
  });

  test("are found by subject, recipient, kind and status", async () => {
    assert.deepEqual(await subjects("?q=50%25"), ["Receipt for 50% off"]);
    assert.deepEqual(await subjects("?q=BOSS@"), ["Receipt for 50% off"]);
    assert.deepEqual(await subjects("?recipient=thandi@SHOP.example"), ["Your account", "Receipt for R 100.00"]);
    assert.deepEqual(await subjects("?kind=receipt&limit=1"), ["Receipt for 50% off"]);
    assert.deepEqual(await subjects("?status=failed"), []);
    assert.equal((await subjects("?status=recorded")).length, 4);
    assert.equal((await merchant.call("GET", "/emails?status=nonsense")).status, 400);
    assert.deepEqual(await subjects("?q=%00"), await subjects(""));
    assert.deepEqual(await subjects("?kind=%00"), []);
  });

  test("a mail with a sign-in link may be read only by roles that could have sent it, and may charge the cards that it opens", async () => {
    const texts = async (role: "admin" | "support" | "viewer" | "finance") =>
      dataOf(await merchant.call("GET", "/emails", undefined, role)).map(({ kind, text, html }) => [
        kind,
        text !== null && html !== null,
      ]);
    const shown = (invitation: boolean, portal: boolean) => [
      ["invitation", invitation],
      ["portal_link", portal],
      ["receipt", true],
      ["receipt", true],
    ];
    assert.deepEqual(await texts("admin"), shown(false, true));
    assert.deepEqual(await texts("support"), shown(false, false));
    assert.deepEqual(await texts("finance"), shown(false, false));
    assert.deepEqual(await texts("viewer"), shown(false, false));
    const one = await merchant.call("GET", `/emails/${ids["Your account"]}`, undefined, "viewer");
    assert.deepEqual([one.status, one.body["text"], one.body["html"]], [200, null, null]);
  });

  test("another organisation's are not listed", async () => {
    const other = await addMerchant(merchant.dashboard);
    assert.deepEqual(dataOf(await other.call("GET", "/emails")), []);
    assert.equal((await other.call("GET", `/emails/${ids["Your account"]}`)).status, 404);
  });
});

test("a mail that cannot be written is listed with an error, and does not affect others", async (t) => {
  const faulty = declareMail("faulty", async (tx) => {
    await tx.sql`select 1 / 0`;
    return null;
  });
  const merchant = await openMerchant(emailEndpoints(new Map([...MAILS, [faulty.kind, faulty]]), RECORDS));
  t.after(() => merchant.close());
  const { services } = merchant.dashboard;
  await merchant.call("POST", "/members", { email: "new@shop.example", role: "viewer" });
  const ids = ["receipt", faulty.kind, "of-a-newer-version"].map((kind) => ({ kind, id: newId("mail") }));
  await services.db.transaction(merchant.organisation.id, async (tx) => {
    for (const { kind, id } of ids) {
      const asked = { about: "pay_1", facts: {}, secretSealed: null, createdAt: machineNow() };
      insertEmails(tx, [{ ...asked, id, dedupeKey: id, kind, recipients: ["thandi@shop.example"] }], {
        send: true,
        once: true,
      });
    }
  });
  const listed = await merchant.call("GET", "/emails");
  assert.equal(listed.status, 200);
  const error = "It could not be written yet. The service tries again by itself.";
  assert.deepEqual(
    dataOf(listed).map((mail) => [mail["kind"], mail["status"], mail["error"], mail["text"] === ""]),
    [
      ["of-a-newer-version", "queued", error, true],
      [faulty.kind, "queued", error, true],
      ["receipt", "queued", null, true],
      ["invitation", "recorded", null, false],
    ],
  );
  for (const { kind, id } of ids.slice(1)) {
    const one = await merchant.call("GET", `/emails/${id}`);
    assert.deepEqual([one.status, one.body["kind"], one.body["error"]], [200, kind, error]);
  }
  assert.equal(dataOf(await merchant.call("GET", "/emails?q=THANDI%40shop")).length, 3);
});
