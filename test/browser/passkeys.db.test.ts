import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import pg from "pg";
import type { Page } from "playwright-core";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { openPage } from "../support/browser.ts";
import { type Answered, openDashboard, type TestDashboard } from "../support/dashboard.ts";
import { PASSWORD } from "../support/passwords.ts";
import { totp } from "../support/totp.ts";

/* Passkeys of staff, made and used by a browser with a virtual authenticator. */

const ORIGIN = "http://localhost:8080";
let dashboard: TestDashboard;
let shop: Organisation;
let person = 0;

before(async () => {
  dashboard = await openDashboard({ baseUrl: ORIGIN });
  shop = await dashboard.addOrganisation();
});
after(() => dashboard.close());

async function somebody(): Promise<string> {
  const email = `person${++person}@example.co.za`;
  await dashboard.addMember(shop, email, "viewer");
  return email;
}

/** A page of the service's origin with a device that verifies its user, or cannot (`verifies: false`). */
async function openDevice(t: TestContext, { verifies = true, origin = ORIGIN } = {}): Promise<Page> {
  const page = await openPage(t);
  await page.route(`${origin}/**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Sign in</title>" }),
  );
  await page.goto(`${origin}/dashboard/sign-in`);
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("WebAuthn.enable");
  await protocol.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: verifies,
      isUserVerified: verifies,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}

/** Creates a passkey from the options, as the dashboard's page does. */
const make = (page: Page, options: unknown): Promise<unknown> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);
const use = (page: Page, options: unknown): Promise<unknown> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.get({ publicKey })).toJSON();
  })()`);

const get = (path: string, cookie = "") => dashboard.call("GET", `/auth/passkey/${path}`, { cookie });
const post = (path: string, cookie: string, body: unknown) =>
  dashboard.call("POST", `/auth/passkey/${path}`, { cookie, body });

/** Adds a passkey. The test may change the options, as a hostile page could. */
async function add(
  page: Page,
  cookie: string,
  change: (options: object) => object = (same) => same,
): Promise<Answered> {
  const options = await get("generate-register-options", cookie);
  assert.equal(options.status, 200);
  const response = await make(page, change(options.body));
  return post("verify-registration", `${cookie}; ${options.cookie}`, { name: "Phone", response });
}

async function signIn(page: Page, change: (options: object) => object = (same) => same): Promise<Answered> {
  const options = await get("generate-authenticate-options");
  return post("verify-authentication", options.cookie, { response: await use(page, change(options.body)) });
}

describe("a passkey", () => {
  test("is added by whoever is signed in, and then signs them in without password and code", async (t) => {
    const page = await openDevice(t);
    const email = await somebody();
    const asked = { cookie: await dashboard.signIn(email), body: { password: PASSWORD } };
    const enabled = await dashboard.call("POST", "/auth/two-factor/enable", asked);
    const code = totp(String(enabled.body["totpURI"]));
    const confirm = { cookie: asked.cookie, body: { code } };
    const { cookie } = await dashboard.call("POST", "/auth/two-factor/verify-totp", confirm);
    assert.equal((await add(page, cookie)).status, 200);

    const answer = await signIn(page);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body), ["user"], "the session is the cookie's alone");
    const session = await dashboard.call("GET", "/session", { cookie: answer.cookie });
    assert.equal((session.body["user"] as Record<string, unknown>)["email"], email);
  });

  test("can be listed, named and removed by its owner alone", async (t) => {
    const page = await openDevice(t);
    const cookie = await dashboard.signIn(await somebody());
    const stranger = await dashboard.signIn(await somebody());
    const { id } = (await add(page, cookie)).body as { id: string };
    const names = async (of: string) =>
      ((await get("list-user-passkeys", of)).body["data"] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual([await names(cookie), await names(stranger)], [["Phone"], []]);
    assert.equal((await post("update-passkey", stranger, { id, name: "Mine" })).status, 401);
    assert.equal((await post("delete-passkey", stranger, { id })).status, 401);
    assert.equal((await post("update-passkey", cookie, { id, name: "Thandi's phone" })).status, 200);
    assert.deepEqual(await names(cookie), ["Thandi's phone"]);
    assert.equal((await post("delete-passkey", cookie, { id })).status, 200);
    const refused = await signIn(page);
    assert.deepEqual([refused.status, refused.body["error"]], [401, "unauthorized"]);
  });

  test("answers one challenge once", async (t) => {
    const page = await openDevice(t);
    await add(page, await dashboard.signIn(await somebody()));
    const options = await get("generate-authenticate-options");
    const response = await use(page, options.body);
    assert.equal((await post("verify-authentication", options.cookie, { response })).status, 200);
    assert.equal((await post("verify-authentication", options.cookie, { response })).status, 400);
    const other = await get("generate-authenticate-options");
    assert.equal((await post("verify-authentication", other.cookie, { response })).status, 400);
  });

  test("of a device that does not ask for its owner is refused", async (t) => {
    const page = await openDevice(t, { verifies: false });
    const email = await somebody();
    const careless = (options: object) => ({
      ...options,
      authenticatorSelection: { residentKey: "required", userVerification: "discouraged" },
    });
    const refused = await add(page, await dashboard.signIn(email), careless);
    assert.deepEqual([refused.status, refused.body["error"]], [401, "unauthorized"]);
    assert.match(String(refused.body["message"]), /finger, face or PIN/);
  });

  test("made for the pages of another site is refused", async (t) => {
    const page = await openDevice(t, { origin: "http://localhost:9090" });
    const refused = await add(page, await dashboard.signIn(await somebody()));
    assert.deepEqual([refused.status, refused.body["error"]], [400, "invalid_request"]);
  });

  test("is added soon after signing in, not a quarter of an hour later", async () => {
    const email = await somebody();
    const cookie = await dashboard.signIn(email);
    const client = new pg.Client({ connectionString: dashboard.databaseUrl });
    await client.connect();
    await client.query(
      `update identity.session set created_at = created_at - interval '16 minutes'
       where user_id = (select id from identity."user" where email = $1)`,
      [email],
    );
    await client.end();
    const refused = await get("generate-register-options", cookie);
    assert.deepEqual([refused.status, refused.body["error"]], [403, "permission_required"]);
    assert.match(String(refused.body["message"]), /Sign in again/);
  });

  for (const [what, response] of [
    ["nothing", undefined],
    ["a text", "x"],
    ["fields that are empty", { id: "", rawId: "", type: "public-key", response: {} }],
    [
      "bytes that are no passkey's",
      {
        id: "AAAA",
        rawId: "AAAA",
        type: "public-key",
        response: { clientDataJSON: "AAAA", attestationObject: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
      },
    ],
  ] as const)
    test(`that is ${what} is refused, added or used`, async () => {
      const cookie = await dashboard.signIn(await somebody());
      const made = await get("generate-register-options", cookie);
      const added = await post("verify-registration", `${cookie}; ${made.cookie}`, { response });
      assert.deepEqual([added.status, added.body["error"]], [400, "invalid_request"]);
      const asked = await get("generate-authenticate-options");
      const used = await post("verify-authentication", asked.cookie, { response });
      assert(used.status === 400 || used.status === 401, String(used.status));
    });

  test("needs a session to be added, listed or removed", async () => {
    for (const path of ["generate-register-options", "list-user-passkeys"]) assert.equal((await get(path)).status, 401);
    assert.equal((await post("delete-passkey", "", { id: "x" })).status, 401);
  });
});
