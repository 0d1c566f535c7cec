import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { openDashboard, type Sent, type TestDashboard } from "../../test/support/dashboard.ts";
import { instant } from "../kernel/time.ts";
import type { Role } from "../modules/members/types.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { endpoint } from "./endpoint.ts";

const common = { audience: "clients", tag: { name: "Things", about: "Things" }, summary: "A thing" } as const;
/** Endpoints for these tests; GET returns the context that the dashboard's API has made for the request. */
const things = [
  endpoint({
    ...common,
    method: "GET",
    path: "/things",
    permission: "customers:read",
    replies: { 200: z.unknown() },
    handle: async ({ ctx, member }) => ({
      status: 200,
      body: { slug: ctx.organisation.slug, now: ctx.now, actor: ctx.actor, member },
    }),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/things",
    permission: "customers:write",
    replies: { 200: z.unknown() },
    handle: async () => ({ status: 200, body: {}, audit: { subject: "thing", before: 1, after: 2 } }),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/things/look-up",
    permission: "customers:read",
    onlyReads: true,
    replies: { 200: z.unknown() },
    handle: async () => ({ status: 200, body: {} }),
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/coupons",
    feature: "coupons",
    permission: "customers:read",
    replies: { 200: z.unknown() },
    handle: async () => ({ status: 200, body: {} }),
  }),
];

let dashboard: TestDashboard;
let shop: Organisation;
let cafe: Organisation;
const cookies = {} as Record<Role | "both" | "nobody", string>;

before(async () => {
  dashboard = await openDashboard({ endpoints: things });
  shop = await dashboard.addOrganisation({ slug: "shop" });
  cafe = await dashboard.addOrganisation({ slug: "cafe", plan: "growth" });
  for (const role of ["owner", "admin", "finance", "support", "viewer"] as const) {
    await dashboard.addMember(shop, `${role}@example.co.za`, role);
    cookies[role] = await dashboard.signIn(`${role}@example.co.za`);
  }
  await dashboard.addMember(shop, "both@example.co.za", "viewer");
  await dashboard.addMember(cafe, "both@example.co.za", "owner");
  cookies.both = await dashboard.signIn("both@example.co.za");
  await dashboard.identity.createUser({ email: "nobody@example.co.za", name: "N", password: "correct horse battery" });
  cookies.nobody = await dashboard.signIn("nobody@example.co.za");
});
after(() => dashboard.close());

const get = (cookie: string, headers: Record<string, string> = {}, path = "/things") =>
  dashboard.call("GET", path, { cookie, headers });
const post = (sent: Sent) => dashboard.call("POST", "/things", sent);

describe("a session", () => {
  test("is needed", async () => {
    for (const answer of [await get(""), await get("tefo.session_token=x.y"), await post({})])
      assert.deepEqual([answer.status, answer.body["error"]], [401, "unauthorized"]);
  });

  test("acts as the member, from the client's address, at the organisation's time", async () => {
    const id = await dashboard.addMember(
      await dashboard.addOrganisation({ clockAt: instant("2027-03-01T00:00:00Z"), sandbox: true, slug: "lab" }),
      "lab@example.co.za",
      "admin",
    );
    const answer = await dashboard.call("GET", "/things", {
      cookie: await dashboard.signIn("lab@example.co.za"),
      from: "192.0.2.9",
    });
    // A set of permissions is empty in JSON.
    const role = { id: "admin", name: "Admin", permissions: {} };
    assert.deepEqual(answer.body, {
      slug: "lab",
      now: "2027-03-01T00:00:00.000Z",
      actor: { kind: "member", id, name: "lab", ip: "192.0.2.9", role },
      member: { id, role },
    });
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["x-ratelimit-limit"], undefined);
  });

  test("writes the member into the audit log, with the one spelling of the client's address", async () => {
    assert.equal((await post({ cookie: cookies.owner, from: "[::FFFF:192.0.2.10]:4711" })).status, 200);
    const [entry] = await dashboard.services.db.read(
      shop.id,
      (tx) => tx.sql`
      select actor_kind, actor_name, ip, action, subject, before, after from audit_log
       where organisation_id = ${tx.organisation} order by id desc limit 1`,
    );
    assert.deepEqual(entry, {
      actor_kind: "member",
      actor_name: "owner",
      ip: "192.0.2.10",
      action: "POST /things",
      subject: "thing",
      before: 1,
      after: 2,
    });
  });
});

describe("the organisation", () => {
  test("is the only one there is, named or not", async () => {
    assert.equal((await get(cookies.owner)).body["slug"], "shop");
    assert.equal((await get(cookies.owner, { "tefo-organisation": " shop " })).body["slug"], "shop");
  });

  test("of several is the one that the header names", async () => {
    for (const slug of ["shop", "cafe"])
      assert.equal((await get(cookies.both, { "tefo-organisation": slug })).body["slug"], slug);
    const unnamed = await get(cookies.both);
    assert.deepEqual([unnamed.status, unnamed.body["error"]], [400, "invalid_request"]);
    assert.match(String(unnamed.body["message"]), /shop, cafe/);
  });

  test("of others is refused with the same message as one that does not exist", async () => {
    const others = await get(cookies.owner, { "tefo-organisation": "cafe" });
    const nobodys = await get(cookies.owner, { "tefo-organisation": "none" });
    assert.deepEqual([others.status, others.body["error"]], [403, "permission_required"]);
    assert.equal(String(others.body["message"]).replace("cafe", "none"), nobodys.body["message"]);
  });

  test("is needed: a member of none is refused", async () => {
    const answer = await get(cookies.nobody);
    assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
  });

  test("is left with the membership, at the next request", async () => {
    const id = await dashboard.addMember(shop, "leaver@example.co.za", "viewer");
    const cookie = await dashboard.signIn("leaver@example.co.za");
    assert.equal((await get(cookie)).status, 200);
    assert.equal((await dashboard.call("DELETE", `/members/${id}`, { cookie: cookies.owner })).status, 200);
    assert.equal((await get(cookie)).status, 403);
  });
});

describe("what a role lacks is 403", () => {
  const MAY_WRITE: Record<Role, number> = { owner: 200, admin: 200, finance: 403, support: 200, viewer: 403 };
  for (const [role, status] of Object.entries(MAY_WRITE) as [Role, number][])
    test(`${role}: reads; writing customers is ${status}`, async () => {
      assert.equal((await get(cookies[role])).status, 200);
      const answer = await post({ cookie: cookies[role] });
      assert.equal(answer.status, status);
      if (status === 403) assert.equal(answer.body["error"], "permission_required");
    });
});

describe("the plan", () => {
  test("need not have the API, but the endpoint's feature", async () => {
    const answer = await get(cookies.owner, {}, "/coupons");
    assert.deepEqual([answer.status, answer.body["error"]], [403, "plan_restricted"]);
    assert.equal((await get(cookies.both, { "tefo-organisation": "cafe" }, "/coupons")).status, 200);
  });
});

describe("a read-only account", () => {
  for (const facts of [
    { state: "suspended" },
    { state: "cancelled" },
    { state: "trial", trialEndsAt: instant("2026-01-01T00:00:00Z") },
  ] as const)
    test(`${facts.state} refuses writes before it looks at the role; its staff sign in, read and sign out`, async () => {
      const email = `${facts.state}@example.co.za`;
      await dashboard.addMember(await dashboard.addOrganisation(facts), email, "viewer");
      const cookie = await dashboard.signIn(email);
      assert.equal((await get(cookie)).status, 200);
      const answer = await post({ cookie });
      assert.deepEqual([answer.status, answer.body["error"]], [403, "account_restricted"]);
      assert.equal((await dashboard.call("POST", "/things/look-up", { cookie })).status, 200);
      assert.equal((await dashboard.call("POST", "/auth/sign-out", { cookie, body: {} })).status, 200);
      assert.equal((await get(cookie)).status, 401);
    });
});

describe("a change is accepted from", () => {
  const ROWS: [string, Record<string, string>, number][] = [
    ["no browser", {}, 200],
    ["BASE_URL's origin", { origin: "http://localhost:8080" }, 200],
    ["the loopback name it was sent to", { origin: "http://127.0.0.1:9000", host: "127.0.0.1:9000" }, 200],
    ["the same in IPv6", { origin: "http://[::1]:9000", host: "[::1]:9000" }, 200],
    ["another port of the machine", { origin: "http://127.0.0.1:9001", host: "127.0.0.1:9000" }, 403],
    ["a name that its Host agrees with", { origin: "http://evil.example", host: "evil.example" }, 403],
    ["a name that only begins like ours", { origin: "http://localhost:8080.evil.example" }, 403],
    ["our name over another scheme", { origin: "https://localhost:8080" }, 403],
    ["a sandboxed frame", { origin: "null" }, 403],
    ["an empty origin", { origin: "" }, 403],
    ["another site, its origin withheld", { "sec-fetch-site": "cross-site" }, 403],
    ["a sibling site, its origin withheld", { "sec-fetch-site": "same-site" }, 403],
    ["our pages, their origin withheld", { "sec-fetch-site": "same-origin" }, 200],
  ];
  for (const [from, headers, status] of ROWS)
    test(`${from}: ${status}`, async () => {
      const answer = await post({ cookie: cookies.owner, headers });
      assert.equal(answer.status, status);
      if (status === 403) assert.equal(answer.body["error"], "permission_required");
      assert.equal((await get(cookies.owner, headers)).status, 200, "reading is the browser's to refuse");
    });
});
