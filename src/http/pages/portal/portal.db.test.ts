import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mailsOf } from "../../../../test/support/mails.ts";
import {
  cookiesSetBy,
  formTokenIn,
  openPages,
  type PageMerchant,
  pressSignIn,
  type TestPages,
} from "../../../../test/support/pages.ts";
import { stopClock } from "../../../../test/support/still-clock.ts";
import { upsertCustomer } from "../../../flows/customers/save-customer.ts";
import { issuePortalLink } from "../../../flows/portal-access/issue-portal-link.ts";
import { addSeconds, instant } from "../../../kernel/time.ts";
import { setClock } from "../../../modules/organisations/store.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

let number = 0;
/** Adds a customer; default: with a new email address. */
async function addCustomer(
  merchant = shop,
  facts: Record<string, unknown> = {},
): Promise<{ id: string; email: string }> {
  const ctx = await merchant.ctx();
  const email = `customer${number++}@example.co.za`;
  const { customer } = await pages.services.db.transaction(merchant.organisation.id, (tx) =>
    upsertCustomer(tx, ctx, { email, firstName: "Thandi", ...facts }),
  );
  return { id: customer.id, email };
}

/** A new sign-in link's path. */
async function issue(customerId: string, merchant = shop, email = false) {
  const ctx = await merchant.ctx();
  const link = await pages.services.db.transaction(merchant.organisation.id, (tx) =>
    issuePortalLink(tx, ctx, customerId, { email }),
  );
  assert.ok(link);
  return { ...link, path: new URL(link.url).pathname };
}

const mailsTo = (recipient: string) => mailsOf(pages.services, shop.organisation, { recipient });
const home = (merchant = shop) => `/portal/${merchant.organisation.slug}`;
/** Opens the link and presses its button; returns the cookie as the browser sends it back. */
async function signIn(path: string): Promise<string> {
  const answer = await pressSignIn(pages, path);
  assert.equal(answer.status, 303);
  return (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

describe("a sign-in link", () => {
  test("is for a customer of the organisation, lasts 15 minutes, and only its hash is kept", async () => {
    const { id, email } = await addCustomer();
    const link = await issue(id);
    assert.match(link.url, new RegExp(`^${pages.baseUrl}/portal/${shop.organisation.slug}/sign-in/[A-Za-z0-9_-]{64}$`));
    assert.equal(link.emailed, false);
    const minutes = (instant(link.expiresAt).getTime() - (await shop.ctx()).now.getTime()) / 60_000;
    assert.ok(minutes > 13 && minutes <= 15, `${minutes} minutes`);
    assert.deepEqual(await mailsTo(email), []);
    const token = link.path.split("/").at(-1) ?? "";
    const stored = await pages.query<{ row: string }>(
      "select portal_links::text as row from portal_links where customer_id = $1",
      id,
    );
    assert.equal(stored.length, 1);
    assert.ok(!stored[0]?.row.includes(Buffer.from(token, "base64url").toString("hex")));
    const ctx = await shop.ctx();
    const missing = await pages.services.db.transaction(shop.organisation.id, (tx) =>
      issuePortalLink(tx, ctx, "cus_none", { email: true }),
    );
    assert.equal(missing, null);
  });

  test("is mailed when asked for, to a customer who has an address", async () => {
    const { id, email } = await addCustomer();
    const link = await issue(id, shop, true);
    assert.equal(link.emailed, true);
    const [mail] = await mailsTo(email);
    assert.match(mail?.subject ?? "", /Sign in to your account with Karoo Books/);
    assert.ok(mail?.text.includes(link.url));
    assert.deepEqual([mail?.fromName, mail?.status], ["Karoo Books", "recorded"]);
    const nobody = await addCustomer(shop, { email: null });
    assert.equal((await issue(nobody.id, shop, true)).emailed, false);
  });

  test("shows who signs in and one button; a mail scanner that opens it does not use it up", async () => {
    const { id, email } = await addCustomer(shop, { firstName: "Thandi", lastName: "Nkosi" });
    const { path } = await issue(id);
    for (const method of ["HEAD", "GET", "HEAD", "GET"]) {
      const looked = await pages.request(method, path);
      assert.equal(looked.status, 200, method);
      assert.match(looked.headers.get("set-cookie") ?? "", /^tefo_browser=[\w-]{22}; [^,]*$/, "no session");
    }
    const page = await pages.get(path);
    assert.equal(page.heading, "Sign in");
    assert.match(page.text, new RegExp(`Thandi Nkosi.*${email}`, "s"));
    assert.deepEqual(page.text.match(/<button[^>]*>.*?<\/button>/gs)?.length, 1);
    assert.doesNotMatch(page.text, /type="email"/);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.equal((await pressSignIn(pages, path)).status, 303, "and none of that used it up");
  });

  test("is used by a form of its own page only", async () => {
    const { id } = await addCustomer();
    const { path } = await issue(id);
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }]) {
      const refused = await pages.post(path, { action: "sign_in" }, headers);
      assert.equal(refused.status, 403);
      assert.doesNotMatch(refused.headers.get("set-cookie") ?? "", /tefo_portal/);
    }
    assert.equal((await pressSignIn(pages, path)).status, 303);
  });

  test("is used by the browser that showed its form, whatever another site's page knows of it", async () => {
    const { id } = await addCustomer();
    const { path } = await issue(id);
    const [read, victims] = [await pages.get(path), await pages.get(path)];
    const form = { action: "sign_in", formToken: formTokenIn(read) };
    const [cookie, other] = [cookiesSetBy(read), cookiesSetBy(victims)];
    const refused: [string, Record<string, string>][] = [
      ["no cookie", { "sec-fetch-site": "same-origin" }],
      ["another browser's", { "sec-fetch-site": "same-origin", cookie: other }],
      ["another site's page", { "sec-fetch-site": "cross-site", cookie }],
      ["a sister site's page", { "sec-fetch-site": "same-site", cookie }],
    ];
    for (const [name, headers] of refused) {
      const answer = await pages.post(path, form, { origin: "null", ...headers });
      assert.deepEqual(
        [answer.status, answer.headers.get("set-cookie")?.includes("tefo_portal") ?? false],
        [403, false],
        name,
      );
    }
    assert.equal((await pages.get(path, { cookie })).headers.get("set-cookie"), null, "one value for a browser");
    assert.equal((await pages.post(path, form, { origin: "null", cookie })).status, 303);
  });

  test("signs in once: a cookie for this portal and the organisation's checkout alone, then the page that mails a new one", async () => {
    const { id } = await addCustomer();
    const { path } = await issue(id);
    const opened = await pressSignIn(pages, path);
    assert.deepEqual([opened.status, opened.location], [303, home()]);
    const cookies = opened.headers.getSetCookie();
    const [, token = ""] = /^tefo_portal=([A-Za-z0-9_-]{64});/.exec(cookies[0] ?? "") ?? [];
    assert.deepEqual(
      cookies,
      [home(), home().replace(/^\/portal/, "/c"), "/pay"].map(
        (path) => `tefo_portal=${token}; Path=${path}; Max-Age=43200; HttpOnly; SameSite=Lax`,
      ),
    );
    const again = await pages.get(path);
    assert.deepEqual([again.status, again.heading], [200, "This link has been used"]);
    assert.doesNotMatch(again.headers.get("set-cookie") ?? "", /tefo_portal/);
    assert.match(again.text, /<input type="email"/);
    assert.equal(again.headers.get("referrer-policy"), "no-referrer");
  });

  test("signs in once for many at once", async () => {
    const { id } = await addCustomer();
    const { path } = await issue(id);
    const formToken = formTokenIn(await pages.get(path));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => pages.post(path, { action: "sign_in", formToken })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 303]);
    for (const { status, heading } of answers) if (status === 200) assert.equal(heading, "This link has been used");
  });

  test("is over after 15 minutes of the organisation's clock", async () => {
    const merchant = await pages.addMerchant();
    const { id } = await addCustomer(merchant);
    const { path } = await issue(id, merchant);
    const formToken = formTokenIn(await pages.get(path));
    const { now } = await merchant.ctx();
    await pages.services.db.transaction(merchant.organisation.id, async (tx) => setClock(tx, addSeconds(now, 901)));
    for (const late of [await pages.get(path), await pages.post(path, { action: "sign_in", formToken })])
      assert.deepEqual(
        [late.status, late.heading, late.headers.get("set-cookie")?.includes("tefo_portal") ?? false],
        [200, "This link has expired", false],
      );
  });

  test("with an unknown token is 404, and so is one of another organisation", async () => {
    const { id } = await addCustomer();
    const { path } = await issue(id);
    const at = path.length - 7;
    const tampered = path.slice(0, at) + (path[at] === "A" ? "B" : "A") + path.slice(at + 1);
    const other = await pages.addMerchant();
    const elsewhere = path.replace(home(), home(other));
    for (const wrong of [
      tampered,
      elsewhere,
      `${home()}/sign-in/x`,
      `${home()}/sign-in/${"A".repeat(64)}`,
      "/portal/nobody",
      "/portal/NOBODY",
      "/portal/%00",
    ])
      assert.equal((await pages.get(wrong)).status, 404, wrong);
    assert.equal((await pressSignIn(pages, path)).status, 303, "and none of that used it up");
  });
});

describe("a signed-in customer", () => {
  test("sees what is open with a way to pay it, what was paid, and nothing of others", async () => {
    const merchant = await pages.addMerchant({ name: "Karoo & Books" });
    const { id } = await addCustomer(merchant);
    const stranger = await addCustomer(merchant);
    const open = await merchant.addLink({ title: "School readers", amount: 100, customerId: id });
    const paid = await merchant.addLink({ title: "Atlas", amount: 55.5, customerId: id });
    await merchant.addLink({ title: "Not yours", customerId: stranger.id });
    const { gatewayPath, reference } = await merchant.start(paid.path);
    await pages.post(gatewayPath, { outcome: "complete" });
    const cookie = await signIn((await issue(id, merchant)).path);
    const page = await pages.get(home(merchant), { cookie });
    assert.deepEqual([page.status, page.heading], [200, "Hello, Thandi"]);
    assert.match(page.text, /School readers/);
    assert.match(page.text, new RegExp(`href="${pages.baseUrl}${open.path}"`));
    assert.match(page.text, new RegExp(`Atlas.*${reference}.*Paid`, "s"));
    assert.match(page.text, /R\u00a0100\.00/);
    assert.doesNotMatch(page.text, /Not yours/);
    assert.doesNotMatch(page.text, new RegExp(`href="${pages.baseUrl}${paid.path}"`));
    assert.equal(page.headers.get("cache-control"), "no-store");
  });

  test("has credit when something was paid twice", async () => {
    const merchant = await pages.addMerchant();
    const { id } = await addCustomer(merchant);
    const { path } = await merchant.addLink({ amount: 80, customerId: id });
    const [first, second] = [await merchant.start(path), await merchant.start(path)];
    for (const { gatewayPath } of [first, second]) await pages.post(gatewayPath, { outcome: "complete" });
    const page = await pages.get(home(merchant), { cookie: await signIn((await issue(id, merchant)).path) });
    assert.match(page.text, /<h2>Credit<\/h2><p class="total"><span class="money">R\u00a080\.00/);
    assert.match(page.text, /Nothing to pay/);
  });

  test("cannot pay where the merchant cannot take it, and is shown so", async () => {
    const merchant = await pages.addMerchant();
    const { id } = await addCustomer(merchant);
    const { path } = await merchant.addLink({ title: "Atlas", customerId: id });
    await pages.query("update gateway_accounts set enabled = false where id = $1", merchant.gateway.id);
    const page = await pages.get(home(merchant), { cookie: await signIn((await issue(id, merchant)).path) });
    assert.match(page.text, /Atlas/);
    assert.doesNotMatch(page.text, new RegExp(path));
  });

  test("is signed out after 12 hours, at another organisation, and with a changed cookie", async () => {
    const merchant = await pages.addMerchant();
    const { id } = await addCustomer(merchant);
    const cookie = await signIn((await issue(id, merchant)).path);
    assert.equal((await pages.get(home(merchant), { cookie })).heading, "Hello, Thandi");
    const touched = cookie.slice(0, -4) + (cookie.at(-4) === "A" ? "B" : "A") + cookie.slice(-3);
    for (const wrong of [touched, "tefo_portal=", `tefo_portal=${"A".repeat(64)}`, "tefo_portal=%00", ""])
      assert.equal((await pages.get(home(merchant), { cookie: wrong })).heading, "Sign in", wrong);
    assert.equal((await pages.get(home(), { cookie })).heading, "Sign in", "another organisation");
    const { now } = await merchant.ctx();
    await pages.services.db.transaction(merchant.organisation.id, async (tx) =>
      setClock(tx, addSeconds(now, 12 * 3600 + 1)),
    );
    assert.equal((await pages.get(home(merchant), { cookie })).heading, "Sign in", "12 hours later");
  });

  test("signs out permanently, and by a form of our own page only", async () => {
    const { id } = await addCustomer();
    const cookie = await signIn((await issue(id)).path);
    const formToken = formTokenIn(await pages.get(home(), { cookie }));
    const leave = (headers: Record<string, string>) =>
      pages.post(`${home()}/sign-out`, { formToken }, { cookie, ...headers });
    assert.equal((await leave({ origin: "https://evil.example" })).status, 403);
    assert.equal((await pages.get(home(), { cookie })).heading, "Hello, Thandi");
    const answer = await leave({ origin: pages.baseUrl });
    assert.deepEqual([answer.status, answer.location], [303, home()]);
    for (const line of answer.headers.getSetCookie()) assert.match(line, /^tefo_portal=; Path=.*; Max-Age=0;/);
    assert.equal(answer.headers.getSetCookie().length, 3);
    assert.equal((await pages.get(home(), { cookie })).heading, "Sign in");
    assert.equal((await pages.get(`${home()}/sign-out`)).status, 405);
  });
});

describe("asking for a new link", () => {
  test("answers the same whether the address is a customer's or not, and mails the customer", async () => {
    const { id, email } = await addCustomer();
    const { path } = await issue(id);
    await signIn(path);
    const page = await pages.get(path);
    const [formToken, cookie] = [formTokenIn(page), cookiesSetBy(page)];
    assert.equal((await pages.post(path, { email: "", formToken })).status, 400, "an address is asked for");
    const ask = async (address: string) => {
      const started = performance.now();
      const page = await pages.post(path, { email: address, formToken }, { origin: "null", cookie });
      return { ...page, ms: performance.now() - started };
    };
    const known = await ask(email.toUpperCase());
    const unknown = await ask("nobody@example.co.za");
    assert.deepEqual([known.status, known.heading], [200, "Look in your mail"]);
    const neutral = (text: string, address: string) => text.replaceAll(address, "ADDRESS");
    assert.equal(neutral(known.text, email.toUpperCase()), neutral(unknown.text, "nobody@example.co.za"));
    assert.ok(known.ms >= 295 && unknown.ms >= 295, "neither is quicker");
    const [mail] = await mailsTo(email);
    const url = /http\S+\/portal\/\S+/.exec(mail?.text ?? "")?.[0] ?? "";
    const session = await signIn(new URL(url).pathname);
    assert.equal((await pages.get(home(), { cookie: session })).heading, "Hello, Thandi");
    assert.deepEqual(await mailsTo("nobody@example.co.za"), []);
  });

  test("goes to the oldest customer of that address, from the portal's own page too", async () => {
    const merchant = await pages.addMerchant();
    const email = "shared@example.co.za";
    const oldest = await addCustomer(merchant, { email, firstName: "First", externalReference: "a" });
    await addCustomer(merchant, { email, firstName: "Second", externalReference: "b" });
    assert.equal((await pages.post(home(merchant), { email })).status, 200);
    const links = await pages.query<{ customer_id: string }>(
      "select customer_id from portal_links where organisation_id = $1",
      merchant.organisation.id,
    );
    assert.deepEqual(links, [{ customer_id: oldest.id }]);
  });

  test("needs an address, and a form of our own page", async () => {
    const { email } = await addCustomer();
    for (const wrong of ["", "x", "a@", "\0@example.co.za", `${"a".repeat(300)}@example.co.za`]) {
      const page = await pages.post(home(), { email: wrong });
      assert.equal(page.status, 400, wrong);
      assert.match(page.text, /aria-invalid="true"/);
    }
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }]) {
      const page = await pages.post(home(), { email }, headers);
      assert.deepEqual([page.status, page.heading], [403, "Sign in"]);
    }
    assert.deepEqual(await mailsTo(email), []);
  });

  test("is limited to three an hour for an address, known or not, and fifteen from one network", async (t) => {
    stopClock(t);
    const { email } = await addCustomer();
    for (const address of [email, "unknown-but-eager@example.co.za"]) {
      const asked = await Promise.all(Array.from({ length: 5 }, () => pages.post(home(), { email: address })));
      assert.deepEqual(asked.map(({ status }) => status).sort(), [200, 200, 200, 429, 429]);
      const limited = asked.find(({ status }) => status === 429);
      assert.match(limited?.text ?? "", /Too many attempts/);
      assert.ok(Number(limited?.headers.get("retry-after")) > 0);
    }
    assert.equal((await mailsTo(email)).length, 3);
    const headers = { "x-forwarded-for": "192.0.2.80" };
    const many = await Promise.all(
      Array.from({ length: 16 }, (_, i) => pages.post(home(), { email: `n${i}@example.co.za` }, headers)),
    );
    assert.equal(many.filter(({ status }) => status === 429).length, 1);
  });
});

test("expired links and sessions are deleted with the next link and the next session", async () => {
  const merchant = await pages.addMerchant();
  const { id } = await addCustomer(merchant);
  await signIn((await issue(id, merchant)).path);
  const { now } = await merchant.ctx();
  await pages.services.db.transaction(merchant.organisation.id, async (tx) =>
    setClock(tx, addSeconds(now, 31 * 86_400)),
  );
  await signIn((await issue(id, merchant)).path);
  for (const table of ["portal_links", "portal_sessions"]) {
    const rows = await pages.query(`select from ${table} where customer_id = $1`, id);
    assert.equal(rows.length, 1, table);
  }
});
