import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { registerLogoRoute } from "../../src/http/logo.ts";
import { settingsEndpoints } from "../../src/http/resources/settings.ts";
import type { SettingsPreview } from "../../src/modules/organisations/schema.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { openDashboard, type TestDashboard } from "../support/dashboard.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const dataUrl = (bytes: Uint8Array, type = "image/png") =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

const PREVIEWS = ["/settings/preview", "/settings/preview/invoice.pdf"] as const;

const DEFAULTS = {
  vatRate: 15,
  vatRates: [{ from: "2018-04-01", rate: 15 }],
  vatRegistered: true,
  vatRegisteredFrom: null,
  vatCategory: null,
  paymentsIncludeVat: false,
  invoiceTerms: null,
  dueDays: 14,
  receipts: true,
  chargeDefaultCardWhenDue: false,
  taxInclusivePrices: false,
  debitOrders: {
    requireApproval: false,
    requireSignedAgreement: false,
    defaultDebitDay: 1,
    agreementTemplate: null,
    cutOffDays: 2,
  },
  dunning: { retryDays: [1, 3, 5, 7], finalAction: "past_due" },
  invoiceReminders: { daysBefore: [3], daysAfter: [1, 7] },
  messages: { failedPayments: null, invoiceReminders: null },
  trialEndingDays: 3,
  portal: { changePlan: true, addOns: [], pause: true, cancel: true, changeCard: true },
  branding: {
    logo: null,
    accentColour: null,
    supportEmail: null,
    companyName: null,
    address: null,
    vatNumber: null,
    hideProduct: false,
  },
  mail: { senderName: null, alertRecipients: [], invoiceText: null, quoteText: null, reminderText: null },
  documentNumbers: { invoicePrefix: "INV-", quotePrefix: "QUO-", creditNotePrefix: "CN-" },
  exchangeRates: [],
  replyTo: null,
  reauthenticationLimit: null,
  retention: {
    mailTexts: null,
    webhookDeliveries: null,
    proofsOfPayment: null,
    auditReads: null,
    abandonedCheckouts: null,
    closedCustomers: null,
  },
};

describe("settings", () => {
  let dashboard: TestDashboard;
  let organisation: Organisation;
  let owner: string;
  let viewer: string;
  before(async () => {
    dashboard = await openDashboard({ endpoints: settingsEndpoints });
    registerLogoRoute(dashboard.app, dashboard.services);
    organisation = await dashboard.addOrganisation();
    await dashboard.addMember(organisation, "owner@shop.example", "owner");
    await dashboard.addMember(organisation, "viewer@shop.example", "viewer");
    [owner, viewer] = [await dashboard.signIn("owner@shop.example"), await dashboard.signIn("viewer@shop.example")];
  });
  after(() => dashboard.close());

  const get = () => dashboard.call("GET", "/settings", { cookie: owner });
  const patch = (body: unknown, cookie = owner) => dashboard.call("PATCH", "/settings", { cookie, body });

  test("are the interface's defaults at first", async () => {
    const { status, body } = await get();
    assert.equal(status, 200);
    assert.deepEqual(body, DEFAULTS);
  });

  test("PATCH changes the given fields, inside objects too, and null restores the default", async () => {
    const changed = await patch({
      vatRate: 15.5,
      dueDays: 0,
      receipts: false,
      invoiceTerms: "  Pay within a week.  ",
      debitOrders: { cutOffDays: 3 },
      dunning: { retryDays: [2, 4], finalAction: "cancel" },
      messages: { failedPayments: "sms" },
      branding: { accentColour: "#ABC", companyName: "Karoo Wool (Pty) Ltd", supportEmail: "help@karoo.example" },
      replyTo: "accounts@karoo.example",
      unknown: { field: 1 },
    });
    const expected = {
      ...DEFAULTS,
      vatRate: 15.5,
      vatRates: [{ from: "2018-04-01", rate: 15.5 }],
      dueDays: 0,
      receipts: false,
      invoiceTerms: "Pay within a week.",
      debitOrders: { ...DEFAULTS.debitOrders, cutOffDays: 3 },
      dunning: { retryDays: [2, 4], finalAction: "cancel" },
      messages: { failedPayments: "sms", invoiceReminders: null },
      branding: {
        ...DEFAULTS.branding,
        accentColour: "#aabbcc",
        companyName: "Karoo Wool (Pty) Ltd",
        supportEmail: "help@karoo.example",
      },
      replyTo: "accounts@karoo.example",
    };
    assert.deepEqual([changed.status, changed.body], [200, expected]);
    assert.deepEqual((await get()).body, expected);

    const back = await patch({
      vatRate: 15,
      dunning: { retryDays: null },
      messages: { failedPayments: null },
      branding: null,
      invoiceTerms: "",
      replyTo: "",
    });
    assert.deepEqual(back.body, {
      ...expected,
      vatRate: 15,
      vatRates: DEFAULTS.vatRates,
      invoiceTerms: null,
      dunning: { retryDays: [1, 3, 5, 7], finalAction: "cancel" },
      messages: { failedPayments: null, invoiceReminders: null },
      branding: DEFAULTS.branding,
      replyTo: null,
    });
    assert.deepEqual((await get()).body, back.body);
  });

  test("two changes at once of different fields are both stored", async () => {
    await Promise.all([
      patch({ dueDays: 30 }),
      patch({ trialEndingDays: 5 }),
      patch({ debitOrders: { defaultDebitDay: 25 } }),
    ]);
    const { body } = await get();
    assert.equal(body["dueDays"], 30);
    assert.equal(body["trialEndingDays"], 5);
    assert.equal((body["debitOrders"] as { defaultDebitDay: number }).defaultDebitDay, 25);
  });

  const REFUSED: [string, unknown, (string | number)[]][] = [
    ["no body", undefined, []],
    ["an array", [], []],
    ["a rate over 100", { vatRate: 100.01 }, ["vatRate"]],
    ["a rate of null", { vatRate: null }, ["vatRate"]],
    ["a day of null", { debitOrders: { defaultDebitDay: null } }, ["debitOrders", "defaultDebitDay"]],
    ["a rate as text", { vatRate: "15" }, ["vatRate"]],
    ["a rate of five decimals", { vatRate: 15.00001 }, ["vatRate"]],
    ["half a day", { dueDays: 1.5 }, ["dueDays"]],
    ["a flag as number", { receipts: 1 }, ["receipts"]],
    ["an object as text", { dunning: "cancel" }, ["dunning"]],
    ["days that do not ascend", { dunning: { retryDays: [3, 1] } }, ["dunning", "retryDays"]],
    ["a day twice", { dunning: { retryDays: [3, 3] } }, ["dunning", "retryDays"]],
    ["a channel that is none", { messages: { failedPayments: "fax" } }, ["messages", "failedPayments"]],
    ["an action that is none", { dunning: { finalAction: "delete" } }, ["dunning", "finalAction"]],
    ["a debit day of 32", { debitOrders: { defaultDebitDay: 32 } }, ["debitOrders", "defaultDebitDay"]],
    ["an alert to no address", { mail: { alertRecipients: ["nobody"] } }, ["mail", "alertRecipients", 0]],
    ["an address twice", { mail: { alertRecipients: ["a@b.example", "a@b.example"] } }, ["mail", "alertRecipients"]],
    ["a colour that is none", { branding: { accentColour: "red;}" } }, ["branding", "accentColour"]],
    ["a NUL", { branding: { companyName: "a\0b" } }, ["branding", "companyName"]],
    ["no address", { replyTo: "accounts" }, ["replyTo"]],
    ["terms that are too long", { invoiceTerms: "x".repeat(4001) }, ["invoiceTerms"]],
    ["a logo elsewhere", { branding: { logo: "https://cdn.example/logo.png" } }, ["branding", "logo"]],
    [
      "a logo with script",
      { branding: { logo: dataUrl(Buffer.from("<svg/>"), "image/svg+xml") } },
      ["branding", "logo"],
    ],
    ["text called a PNG", { branding: { logo: dataUrl(Buffer.from("<script>1</script>")) } }, ["branding", "logo"]],
    [
      "a logo over 20 kB",
      { branding: { logo: dataUrl(Buffer.concat([PNG, Buffer.alloc(20_001 - PNG.length)])) } },
      ["branding", "logo"],
    ],
    ["another organisation's logo", { branding: { logo: "/assets/logo/other/0123.png" } }, ["branding", "logo"]],
  ];
  for (const [what, body, path] of REFUSED)
    test(`${what} is refused: 400 with an issue at ${path.join(".") || "the body"}`, async () => {
      const before = (await get()).body;
      const answer = await patch(body);
      assert.equal(answer.status, 400);
      assert.equal(answer.body["error"], "invalid_request");
      assert.deepEqual((answer.body["issues"] as { path: unknown }[])[0]?.path, path);
      for (const path of PREVIEWS) {
        const shown = await dashboard.call("POST", path, { cookie: viewer, body });
        const { requestId } = shown.body;
        assert.deepEqual([shown.status, shown.body], [400, { ...answer.body, requestId }], path);
      }
      assert.deepEqual((await get()).body, before, "nothing changed");
    });

  test("a preview shows the effect of unsaved settings, by the code of the real pages, and saves nothing", async () => {
    await patch({ vatRate: 15, branding: { logo: dataUrl(PNG), companyName: "Karoo" } });
    const before = (await get()).body;
    const audited = () =>
      dashboard.services.db.read(
        organisation.id,
        (tx) => tx.sql`select count(*) from audit_log where organisation_id = ${tx.organisation}`,
      );
    const untouched = await audited();
    const preview = async (body: object) => {
      const answer = await dashboard.call("POST", "/settings/preview", { cookie: viewer, body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body as z.output<typeof SettingsPreview>;
    };
    const pdf = async (body: object) => {
      const headers = { cookie: viewer, "content-type": "application/json" };
      const url = `/dashboard/api${PREVIEWS[1]}`;
      const answer = await dashboard.app.inject({ method: "POST", url, headers, payload: JSON.stringify(body) });
      assert.deepEqual([answer.statusCode, answer.headers["content-type"]], [200, "application/pdf"]);
      return answer.rawPayload;
    };
    const present = await preview({});
    assert.match(present.pages.pay, /<img src="\/assets\/logo\//);
    assert.match(present.mail.subject, /^Invoice INV-SAMPLE from Karoo: R 2 760\.00$/);
    assert.deepEqual(
      present.taxInvoice.problems.map(({ what }) => what),
      ["your address", "your VAT number"],
    );
    const accent = "#ffcc00";
    const branding = {
      companyName: "<b>Wool</b>",
      accentColour: accent,
      address: "1 Long St",
      vatNumber: "4012345678",
    };
    const other = dataUrl(Buffer.concat([PNG, Buffer.alloc(1)]));
    const body = {
      ...{ vatRate: 10, invoiceTerms: "Bank charges are yours.", replyTo: "accounts@karoo.example" },
      branding: { ...branding, logo: other },
    };
    const { pages, mail, taxInvoice } = await preview(body);
    for (const page of Object.values(pages)) {
      assert.ok(page.includes("&lt;b&gt;Wool&lt;/b&gt;") && page.includes(`<img src="${other}"`));
      assert.match(page, /accent-ffcc00\.css/);
      assert.match(page, /name="formToken" value=""/);
    }
    assert.match(pages.pay, /Bank charges are yours\..*R\u00a02\u00a0640\.00/s);
    assert.deepEqual([mail.fromName, mail.replyTo], ["<b>Wool</b>", "accounts@karoo.example"]);
    assert.match(mail.html, /VAT number 4012345678/);
    assert.deepEqual(taxInvoice, { title: "Tax Invoice", problems: [] });
    const inclusive = await preview({ ...body, taxInclusivePrices: true });
    assert.match(inclusive.mail.subject, /R 2 400\.00$/);

    const files = await Promise.all([pdf({}), pdf(body), pdf({ branding: { logo: null } })]);
    for (const file of files) assert.equal(file.subarray(0, 5).toString(), "%PDF-");
    assert.deepEqual(
      files.map((file) => file.includes("/Subtype /Image")),
      [true, true, false],
    );
    assert.deepEqual((await get()).body, before);
    assert.deepEqual(await audited(), untouched);
  });

  test("a viewer reads them and may not change them", async () => {
    assert.equal((await dashboard.call("GET", "/settings", { cookie: viewer })).status, 200);
    const { status, body } = await patch({ dueDays: 1 }, viewer);
    assert.deepEqual([status, body["error"]], [403, "permission_required"]);
  });

  test("a logo is served from our own origin, may be cached for ever, and is 404 once removed", async () => {
    const { body } = await patch({ branding: { logo: dataUrl(PNG, "image/whatever") } });
    const { logo } = body["branding"] as { logo: string };
    assert.match(logo, new RegExp(`^/assets/logo/${organisation.slug}/[0-9a-f]{20}\\.png$`));

    const served = await dashboard.app.inject(logo);
    assert.equal(served.statusCode, 200);
    assert.deepEqual(served.rawPayload, PNG);
    assert.equal(served.headers["content-type"], "image/png");
    assert.equal(served.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(served.headers["x-content-type-options"], "nosniff");
    assert.match(String(served.headers["content-security-policy"]), /(^|; )sandbox$/);
    assert.equal(served.headers["content-disposition"], "attachment");

    // A form that sends back the values that it was shown changes nothing.
    const kept = await patch({ branding: { logo, companyName: "Karoo" } });
    assert.equal((kept.body["branding"] as { logo: string }).logo, logo);
    assert.equal((await dashboard.app.inject(logo)).statusCode, 200);

    const gone = await patch({ branding: { logo: null } });
    assert.equal((gone.body["branding"] as { logo: null }).logo, null);
    assert.equal((await dashboard.app.inject(logo)).statusCode, 404);
  });

  for (const path of [
    "/assets/logo/nobody/0.png",
    "/assets/logo/%00/%00",
    "/assets/logo/a%2f..%2fb/c",
    "/assets/logo/ü/x",
  ])
    test(`GET ${path} is 404`, async () => assert.equal((await dashboard.app.inject(path)).statusCode, 404));
});
