import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { checkoutPageEndpoints } from "../../src/http/resources/checkout-pages.ts";
import { contrast } from "../../src/kernel/colour.ts";
import { openDashboard, type TestDashboard } from "../support/dashboard.ts";

const DEFAULTS = {
  template: "classic",
  headline: null,
  subheadline: null,
  accentColour: null,
  footer: null,
  payButtonText: null,
  trustBadges: [],
  termsUrl: null,
  success: { message: null, redirectUrl: null, buttonText: null, autoRedirectSeconds: 8 },
  failure: { message: null, redirectUrl: null, buttonText: null, autoRedirectSeconds: 0, retryButtonText: null },
  fields: { phone: "optional", company: "optional", address: "hidden", vatNumber: "hidden" },
};

const FULL = {
  template: "split",
  headline: "h".repeat(120),
  subheadline: "s".repeat(300),
  accentColour: "#ffcc00",
  footer: "f".repeat(500),
  payButtonText: "p".repeat(40),
  trustBadges: ["1", "2", "3", "4", "b".repeat(80)],
  termsUrl: "https://shop.example/terms",
  success: {
    message: "m".repeat(2000),
    redirectUrl: "https://shop.example/thanks",
    buttonText: "b".repeat(40),
    autoRedirectSeconds: 60,
  },
  failure: {
    message: "m".repeat(2000),
    redirectUrl: "https://shop.example/sorry",
    buttonText: "b".repeat(40),
    autoRedirectSeconds: 0,
    retryButtonText: "r".repeat(40),
  },
  fields: { phone: "required", company: "hidden", address: "optional", vatNumber: "required" },
};

describe("checkout pages", () => {
  let dashboard: TestDashboard;
  let owner: string;
  let viewer: string;
  let other: string;
  before(async () => {
    dashboard = await openDashboard({ endpoints: checkoutPageEndpoints });
    const organisation = await dashboard.addOrganisation();
    await dashboard.addMember(organisation, "owner@shop.example", "owner");
    await dashboard.addMember(organisation, "viewer@shop.example", "viewer");
    await dashboard.addMember(await dashboard.addOrganisation(), "owner@other.example", "owner");
    [owner, viewer, other] = [
      await dashboard.signIn("owner@shop.example"),
      await dashboard.signIn("viewer@shop.example"),
      await dashboard.signIn("owner@other.example"),
    ];
  });
  after(() => dashboard.close());

  const get = (cookie = owner) => dashboard.call("GET", "/checkout-pages", { cookie });
  const put = (body: unknown, cookie = owner) => dashboard.call("PUT", "/checkout-pages", { cookie, body });

  test("begin with the defaults, and PUT takes what GET gave", async () => {
    assert.deepEqual((await get()).body, DEFAULTS);
    const same = await put((await get()).body);
    assert.equal(same.status, 200, same.text);
    assert.deepEqual(same.body, DEFAULTS);
    assert.deepEqual((await put(FULL)).body, FULL);
    assert.deepEqual((await get()).body, FULL);
    assert.deepEqual((await put(FULL)).body, FULL);
    assert.deepEqual((await get(other)).body, DEFAULTS);
  });

  test("PUT replaces: a field that is left out, null or empty gets its default", async () => {
    await put(FULL);
    const answer = await put({
      accentColour: "#FC0",
      headline: "",
      trustBadges: ["One", " "],
      success: {},
      failure: { message: null },
    });
    assert.deepEqual(answer.body, { ...DEFAULTS, accentColour: "#ffcc00", trustBadges: ["One"] });
  });

  for (const [what, body, path] of [
    ["an unknown template", { template: "fancy" }, ["template"]],
    ["a long headline", { headline: "h".repeat(121) }, ["headline"]],
    ["a long subheadline", { subheadline: "h".repeat(301) }, ["subheadline"]],
    ["a colour that is none", { accentColour: "blue" }, ["accentColour"]],
    ["a long footer", { footer: "f".repeat(501) }, ["footer"]],
    ["a long text of the pay button", { payButtonText: "p".repeat(41) }, ["payButtonText"]],
    ["six badges", { trustBadges: ["1", "2", "3", "4", "5", "6"] }, ["trustBadges"]],
    ["a long badge", { trustBadges: ["b".repeat(81)] }, ["trustBadges", 0]],
    ["terms without TLS", { termsUrl: "http://shop.example/terms" }, ["termsUrl"]],
    ["a long message", { success: { message: "m".repeat(2001) } }, ["success", "message"]],
    ["a redirect without TLS", { success: { redirectUrl: "http://shop.example" } }, ["success", "redirectUrl"]],
    ["a redirect to a script", { failure: { redirectUrl: "javascript:alert(1)" } }, ["failure", "redirectUrl"]],
    ["a long button text", { failure: { buttonText: "b".repeat(41) } }, ["failure", "buttonText"]],
    ["a redirect after 61 seconds", { success: { autoRedirectSeconds: 61 } }, ["success", "autoRedirectSeconds"]],
    ["a redirect before now", { success: { autoRedirectSeconds: -1 } }, ["success", "autoRedirectSeconds"]],
    ["half seconds", { success: { autoRedirectSeconds: 1.5 } }, ["success", "autoRedirectSeconds"]],
    [
      "a long text of the retry button",
      { failure: { retryButtonText: "r".repeat(41) } },
      ["failure", "retryButtonText"],
    ],
    ["an unknown use of a field", { fields: { phone: "maybe" } }, ["fields", "phone"]],
  ] as const)
    test(`refuses ${what}`, async () => {
      const before = (await get()).body;
      const answer = await put(body);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body["error"], "invalid_request");
      assert.deepEqual((answer.body["issues"] as { path: unknown }[])[0]?.path, path);
      assert.deepEqual((await get()).body, before);
    });

  test("a preview shows each template and both results as they would be, and saves nothing", async () => {
    const before = (await get()).body;
    const answer = await dashboard.call("POST", "/checkout-pages/preview", { cookie: viewer, body: FULL });
    assert.equal(answer.status, 200, answer.text);
    const { colours, templates, results } = answer.body as {
      colours: Record<string, string>;
      templates: Record<string, string>;
      results: Record<string, string>;
    };
    assert.deepEqual([colours["accent"], colours["onAccent"]], ["#ffcc00", "#000000"]);
    assert.ok(contrast(String(colours["ink"]), "#ffffff") >= 4.5, "darkened until it can be read on white");
    for (const template of ["classic", "split", "minimal"]) {
      const page = templates[template] ?? "";
      assert.match(page, new RegExp(`<main class="[^"]*checkout ${template}`));
      assert.match(page, /accent-ffcc00\.css/);
      for (const text of [FULL.headline, FULL.footer, FULL.payButtonText, FULL.termsUrl])
        assert.ok(page.includes(text));
      assert.match(page, /name="phone"[^>]*required/);
      assert.doesNotMatch(page, /name="company"/);
    }
    assert.ok(results["success"]?.includes(FULL.success.message));
    assert.ok(results["failure"]?.includes(FULL.failure.retryButtonText));
    assert.deepEqual((await get()).body, before);
    const refused = await dashboard.call("POST", "/checkout-pages/preview", {
      cookie: viewer,
      body: { accentColour: "blue" },
    });
    assert.equal(refused.status, 400);
  });

  test("viewing and editing have permissions of their own", async () => {
    assert.equal((await get(viewer)).status, 200);
    const refused = await put({}, viewer);
    assert.deepEqual([refused.status, refused.body["error"]], [403, "permission_required"]);
  });
});
