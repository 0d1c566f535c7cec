import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import {
  ACCOUNT_NUMBER,
  addActiveMandate,
  addMandate,
  issueAgreement,
  type MandateShop,
  mandateNow,
  openMandateShop,
  type Shown,
} from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let stage: MandateShop;
before(async () => {
  api = await openApi();
  stage = await openMandateShop(api);
});
after(() => closeVerified(api));

const SIGNED = { fullName: "Thandi Nkosi", accept: "yes", action: "sign" };
const open = (path: string) => api.call("GET", path);
const post = (path: string, fields: Record<string, string> = SIGNED, headers: Record<string, string> = {}) =>
  api.call("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl, ...headers },
  });
const headingOf = (text: string) => [...text.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, words]) => words);
interface Row {
  status: string;
  signer_name: string;
  consent_text: string;
  signer_address: string;
  signer_user_agent: string;
  document: string;
  document_sha256: Buffer;
  signed_at: Date;
}
const rowOf = async (agreement: Shown) =>
  (await api.query<Row>("select * from mandate_agreements where id = $1", agreement["id"]))[0] as Row;
const patch = (shop: MandateShop, { id }: Shown, body: object) => shop.shop.call("PATCH", `/mandates/${id}`, { body });
const settings = (shop: MandateShop, debitOrders: object) => shop.staff("PATCH", "/settings", { debitOrders });

describe("signing", () => {
  test("the customer reads, signs and the mandate becomes active; the evidence is kept", async () => {
    const mandate = await addMandate(stage);
    const agreement = await issueAgreement(stage, mandate, { notes: "First <b>month</b> free" });
    const page = await open(agreement.path);
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1>Debit order agreement<\/h1>/);
    assert.match(page.text, /First &lt;b&gt;month/);
    assert.match(page.text, /<input type="text" value="" id="fullName" name="fullName" autocomplete="name"/);
    assert.match(page.text, /<input type="checkbox" id="accept" name="accept" value="yes" required/);
    assert.match(page.text, /name="action" value="sign"/);
    assert.doesNotMatch(page.text, new RegExp(ACCOUNT_NUMBER));
    assert.equal(page.headers["referrer-policy"], "no-referrer");
    assert.equal(page.headers["cache-control"], "no-store");
    const answer = await post(agreement.path, SIGNED, { "user-agent": "Test/1.0", "x-forwarded-for": "203.0.113.9" });
    assert.deepEqual([answer.status, answer.headers["location"]], [303, agreement.path]);
    const done = await open(agreement.path);
    assert.ok(headingOf(done.text).includes("Signed"));
    assert.doesNotMatch(done.text, /<form/);
    assert.partialDeepStrictEqual(await mandateNow(stage, mandate), {
      status: "active",
      stage: "active",
      authorisedAt: "2027-03-01T10:00:00.000Z",
      nextDebitDate: "2027-03-25",
      agreement: {
        signed: true,
        signedAt: "2027-03-01T10:00:00.000Z",
        latest: { id: agreement["id"], status: "signed" },
      },
    });
    const row = await rowOf(agreement);
    assert.deepEqual(
      [row.status, row.signer_name, row.signer_address, row.signer_user_agent],
      ["signed", "Thandi Nkosi", "203.0.113.9", "Test/1.0"],
    );
    assert.match(row.consent_text, /I agree/);
    assert.deepEqual(row.document_sha256, createHash("sha256").update(row.document).digest());
    assert.match(row.document, /ending in 7701/);
    const pdf = await open(`${agreement.path}/agreement.pdf`);
    assert.deepEqual([pdf.status, pdf.headers["content-type"]], [200, "application/pdf"]);
    const staff = await stage.staff("GET", `/mandates/${mandate["id"]}/agreements/${agreement["id"]}`);
    assert.deepEqual([staff.status, staff.headers["content-type"]], [200, "application/pdf"]);
    const other = await addMandate(stage);
    assert.equal((await stage.staff("GET", `/mandates/${other["id"]}/agreements/${agreement["id"]}`)).status, 404);
  });

  test("is shown to staff as the customer sees it, signed or not, where nobody can sign", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addMandate(shop);
    const shown = async () => {
      const { body } = await shop.staff<{ payerUrl: string | null }>(
        "GET",
        `/related-records?subject=${mandate["id"]}`,
      );
      return new URL(String(body.payerUrl)).pathname;
    };
    const path = await shown();
    const waiting = await open(path);
    assert.deepEqual([waiting.status, /<form/.test(waiting.text)], [200, false]);
    assert.match(waiting.text, /Not signed yet/);
    assert.equal((await open(`${path}/agreement.pdf`)).headers["content-type"], "application/pdf");
    assert.equal((await post(path)).status, 405);
    assert.equal((await mandateNow(shop, mandate))["stage"], "awaiting_signature");
    const agreement = await issueAgreement(shop, mandate);
    assert.equal((await post(agreement.path)).status, 303);
    const signed = await open(await shown());
    assert.match(signed.text, /signed this agreement on/);
    assert.equal((await open(`${path.slice(0, -2)}xx`)).status, 404);
  });

  test("mails the sign URL, then customer and staff that it is signed; only those who may issue a link read one", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addMandate(shop);
    const kinds = async () => (await mailsOf(api.services, shop.shop.organisation, {})).map(({ kind }) => kind);
    assert.deepEqual(await kinds(), ["mandate_agreement"]);
    const viewer = await shop.shop.signIn("viewer");
    const listed = await shop.staff<{ data: Shown[] }>("GET", "/emails");
    const id = listed.body.data[0]?.["id"];
    const [mine, theirs] = [await shop.staff("GET", `/emails/${id}`), await viewer("GET", `/emails/${id}`)];
    const [path = ""] = /\/sign-mandate\/[\w-]{64}/.exec(mine.text) ?? [];
    assert.notEqual(path, "");
    assert.match(mine.text, /Nothing is collected before you have signed/);
    assert.doesNotMatch(theirs.text, /sign-mandate\//);
    assert.equal((await post(path)).status, 303);
    assert.deepEqual((await kinds()).toSorted(), [
      "mandate_agreement",
      "mandate_agreement_signed",
      "mandate_agreement_signed_staff",
    ]);
    assert.equal((await mandateNow(shop, mandate))["status"], "active");
  });

  test("with approval: it waits for staff, who were told so", async () => {
    const shop = await openMandateShop(api);
    await settings(shop, { requireApproval: true });
    const mandate = await addMandate(shop);
    const { path } = await issueAgreement(shop, mandate);
    await post(path);
    assert.partialDeepStrictEqual(await mandateNow(shop, mandate), {
      status: "pending",
      stage: "awaiting_approval",
      nextDebitDate: "2027-03-25",
    });
    const approved = await shop.staff("POST", `/mandates/${mandate["id"]}/approve`);
    assert.equal(approved.body["status"], "active");
  });

  test("an offline mandate signs as evidence too, and stays as it is", async () => {
    const mandate = await addActiveMandate(stage);
    const { path } = await issueAgreement(stage, mandate);
    const asked = (await mailsOf(api.services, stage.shop.organisation, { kind: "mandate_agreement" })).at(-1);
    assert.ok(asked);
    assert.doesNotMatch(asked.text, /Nothing is collected/, "it is collected already");
    await patch(stage, mandate, { status: "paused" });
    assert.equal((await post(path)).status, 303);
    assert.partialDeepStrictEqual(await mandateNow(stage, mandate), { status: "paused", agreement: { signed: true } });
  });

  test("an offline mandate that is signed late, where only signed ones are collected: passed dates are not made up for", async () => {
    const shop = await openMandateShop(api);
    await settings(shop, { requireSignedAgreement: true });
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    // No worker has done the daily work, which moves the date on too.
    await api.query(
      "update due_work set due_at = '2027-06-11' where organisation_id = $1 and kind = 'debit_batch.gather'",
      shop.shop.organisation.id,
    );
    await shop.move("2027-06-10T10:00:00.000Z");
    assert.equal((await mandateNow(shop, mandate))["nextDebitDate"], "2027-03-05");
    const { path } = await issueAgreement(shop, mandate);
    assert.equal((await post(path)).status, 303);
    assert.equal((await mandateNow(shop, mandate))["nextDebitDate"], "2027-07-05");
    await shop.move("2027-07-20T10:00:00.000Z");
    const batches = await shop.staff<{ data: Shown[] }>("GET", "/debit-batches");
    assert.deepEqual(
      batches.body.data.map(({ actionDate, count }) => [actionDate, count]),
      [["2027-07-05", 1]],
    );
  });

  test("twenty at once: one signs, and the mails go out once", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addMandate(shop);
    const agreement = await issueAgreement(shop, mandate, { email: false });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        post(agreement.path, { ...SIGNED, fullName: `Signer ${n}` }, { "x-forwarded-for": `198.51.100.${n}` }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    for (const { status } of answers) assert.ok([303, 409, 200].includes(status), String(status));
    const winner = answers.findIndex(({ status }) => status === 303);
    assert.equal((await rowOf(agreement)).signer_name, `Signer ${winner}`);
    const signed = (await mailsOf(api.services, shop.shop.organisation, {})).filter(({ kind }) =>
      kind.includes("signed"),
    );
    assert.equal(signed.length, 2);
  });
});

describe("a signature that does not count", () => {
  const closed: [string, (mandate: Shown, shop: MandateShop) => Promise<unknown>, string][] = [
    ["withdrawn by another", (mandate, shop) => issueAgreement(shop, mandate), "This agreement was withdrawn"],
    [
      "of a cancelled mandate",
      (mandate, shop) => patch(shop, mandate, { status: "cancelled" }),
      "This agreement was withdrawn",
    ],
    [
      "of a rejected mandate",
      (mandate, shop) => shop.staff("POST", `/mandates/${mandate["id"]}/reject`, { reason: "No" }),
      "This agreement was withdrawn",
    ],
    ["expired", (_, shop) => shop.move("2027-03-15T10:00:00.000Z"), "This agreement has expired"],
  ];
  for (const [what, close, heading] of closed)
    test(`${what}: the page says so, and nothing changes`, async () => {
      const shop = await openMandateShop(api);
      const mandate = await addMandate(shop);
      const agreement = await issueAgreement(shop, mandate);
      await close(mandate, shop);
      const before = await mandateNow(shop, mandate);
      for (const page of [await open(agreement.path), await post(agreement.path)]) {
        assert.equal(page.status, 200);
        assert.ok(headingOf(page.text).includes(heading), page.text);
        assert.doesNotMatch(page.text, /<form/);
      }
      assert.deepEqual(await mandateNow(shop, mandate), before);
      assert.equal((await open(`${agreement.path}/agreement.pdf`)).status, 404);
    });

  test("of a signed one: its page, and the first signature stays", async () => {
    const agreement = await issueAgreement(stage, await addMandate(stage));
    await post(agreement.path);
    const again = await post(agreement.path, { ...SIGNED, fullName: "Somebody Else" });
    assert.deepEqual([again.status, headingOf(again.text).includes("Signed")], [200, true]);
    assert.equal((await rowOf(agreement)).signer_name, "Thandi Nkosi");
  });

  test("one that was withdrawn while the page was open is refused with 409 or its page", async () => {
    const mandate = await addMandate(stage);
    const agreement = await issueAgreement(stage, mandate);
    const [signed, withdrawn] = await Promise.all([
      post(agreement.path),
      patch(stage, mandate, { status: "cancelled" }),
    ]);
    assert.equal(withdrawn.status, 200);
    assert.ok([200, 303, 409].includes(signed.status));
    assert.equal((await mandateNow(stage, mandate))["status"], "cancelled");
  });

  // What is sent, then the answer's status and the fields that are marked.
  const WRONG: [string, Record<string, string>, number, string[]][] = [
    ["no name", { ...SIGNED, fullName: " " }, 400, ["fullName"]],
    ["a name of one letter", { ...SIGNED, fullName: "T" }, 400, ["fullName"]],
    ["a name of 101 letters", { ...SIGNED, fullName: "x".repeat(101) }, 400, ["fullName"]],
    ["no tick", { fullName: "Thandi", action: "sign" }, 400, ["accept"]],
    ["nothing", { action: "sign" }, 400, ["fullName", "accept"]],
    ["another button", { ...SIGNED, action: "other" }, 400, []],
  ];
  for (const [what, fields, status, marked] of WRONG)
    test(`with ${what}: ${status}, and the page says what is wrong`, async () => {
      const agreement = await issueAgreement(stage, await addMandate(stage));
      const page = await post(agreement.path, fields);
      assert.equal(page.status, status);
      assert.match(page.text, /role="alert"/);
      for (const name of ["fullName", "accept"])
        assert.equal(page.text.includes(`id="${name}-error"`), marked.includes(name), name);
      assert.equal((await rowOf(agreement)).status, "open");
    });

  test("from another website: 403; of a read-only merchant: the page without its form; an unknown token: 404", async () => {
    const shop = await openMandateShop(api);
    const agreement = await issueAgreement(shop, await addMandate(shop));
    assert.equal((await post(agreement.path, SIGNED, { origin: "https://evil.example" })).status, 403);
    await shop.shop.change({ state: "suspended" });
    for (const page of [await open(agreement.path), await post(agreement.path)])
      assert.deepEqual([page.status, headingOf(page.text).includes("Signing is paused")], [200, true]);
    const last = agreement.path.at(-1) === "A" ? "B" : "A";
    for (const path of [`${agreement.path.slice(0, -1)}${last}`, "/sign-mandate/x", `/sign-mandate/${"A".repeat(64)}`])
      assert.equal((await open(path)).status, 404);
    assert.equal((await rowOf(agreement)).status, "open");
  });
});

describe("the template", () => {
  test("is the merchant's, with its placeholders filled in and everything else as text", async () => {
    const shop = await openMandateShop(api);
    const agreementTemplate = [
      "# Order of {{ merchant }}",
      "{{amount}} {{frequency}} from {{bank}} {{branchCode}} …{{accountNumber}} {{until}}",
      "<script>alert(1)</script> {{unknown}} {{constructor}}",
    ].join("\n\n");
    await settings(shop, { agreementTemplate });
    const mandate = await addMandate(shop, { endDate: "2027-12-31" });
    const agreement = await issueAgreement(shop, mandate, { notes: "Thank you" });
    const { document } = await rowOf(agreement);
    assert.equal(
      document,
      [
        `# Order of ${shop.shop.organisation.name}`,
        "R\u00a0350.50 every month from FNB 250655 …7701 until 31 December 2027",
        "<script>alert(1)</script> {{unknown}} {{constructor}}",
        "# Notes",
        "Thank you",
      ].join("\n\n"),
    );
    const page = await open(agreement.path);
    assert.doesNotMatch(page.text, /<script>alert/);
  });
});
