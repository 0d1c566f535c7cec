import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDashboard, type TestDashboard } from "../../../test/support/dashboard.ts";
import { EXAMINATIONS } from "../../catalogue.ts";
import { createOwnOrganisation } from "../../flows/organisations/create-own-organisation.ts";
import { currentSettings } from "../../flows/organisations/settings.ts";
import { verifyOrganisation } from "../../flows/verify/verify-organisation.ts";
import { listAuditEntries } from "../../modules/audit-log/store.ts";
import type { Role } from "../../modules/members/types.ts";
import { organisationBySlug } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";

let dashboard: TestDashboard;
before(async () => {
  dashboard = await openDashboard();
});
after(() => dashboard.close());

let people = 0;

/** Makes a person a member of an organisation, and signs them in. */
async function join(organisation: Organisation, role: Role): Promise<string> {
  const email = `p${++people}@example.co.za`;
  await dashboard.addMember(organisation, email, role);
  return dashboard.signIn(email);
}

describe("an organisation of one's own", () => {
  const found = (cookie: string, body: unknown, headers = {}) =>
    dashboard.call("POST", "/organisations", { cookie, body, headers });
  const organisationsOf = async (cookie: string) =>
    (await dashboard.call("GET", "/session", { cookie })).body["organisations"] as Record<string, unknown>[];

  test("is made by a signed-in person, who owns it; verify finds no faults", async () => {
    const cookie = await join(await dashboard.addOrganisation(), "viewer");
    const made = await found(cookie, { name: " Vuyo's Garage ", slug: "vuyos-garage" });
    assert.equal(made.status, 201);
    const { id, ...rest } = made.body;
    assert.deepEqual(rest, { slug: "vuyos-garage", name: "Vuyo's Garage", sandbox: false });
    const [, own] = await organisationsOf(cookie);
    assert(own);
    assert.deepEqual(
      [own["id"], own["role"], own["status"], own["tourDue"], (own["plan"] as { name: string }).name],
      [id, "owner", "active", false, "enterprise"],
    );
    const headers = { "tefo-organisation": "vuyos-garage" };
    const log = await dashboard.services.db.read(id as Organisation["id"], (tx) => listAuditEntries(tx, { limit: 9 }));
    assert.deepEqual(
      log.map(({ action, actor }) => [action, actor.kind, actor.id]),
      [["POST /organisations", "member", own["memberId"]]],
    );
    const joined = await dashboard.call("POST", "/members", {
      cookie,
      headers,
      body: { email: "new@example.co.za", role: "viewer" },
    });
    assert.equal(joined.status, 201);
    const organisation = await organisationBySlug(dashboard.services.db, "vuyos-garage");
    assert(organisation);
    for await (const { faults } of verifyOrganisation(dashboard.services, organisation, EXAMINATIONS))
      assert.deepEqual(faults, []);
  });

  test("charges no VAT when its founder says that it is not registered", async () => {
    const cookie = await join(await dashboard.addOrganisation(), "viewer");
    const registered = async (slug: string) => {
      const organisation = await organisationBySlug(dashboard.services.db, slug);
      assert(organisation);
      return (await dashboard.services.db.read(organisation.id, currentSettings)).vatRegistered;
    };
    assert.equal((await found(cookie, { name: "Vendor", slug: "vendor" })).status, 201);
    assert.equal((await found(cookie, { name: "Small", slug: "small", vatRegistered: false })).status, 201);
    assert.deepEqual([await registered("vendor"), await registered("small")], [true, false]);
  });

  test("is on trial where the service is run for others", async () => {
    const services = { ...dashboard.services, plans: true };
    const email = `p${++people}@example.co.za`;
    await dashboard.addMember(await dashboard.addOrganisation(), email, "viewer");
    const user = await dashboard.call("GET", "/session", { cookie: await dashboard.signIn(email) });
    const founder = { ...(user.body["user"] as { id: string }), email, name: "Vuyo" };
    const made = await createOwnOrganisation(
      services,
      founder,
      { name: "Trial", slug: "on-trial", sandbox: false, vatRegistered: true },
      { ip: "127.0.0.1", requestId: "r" },
    );
    assert.deepEqual([made.plan, made.state, made.trialEndsAt !== null], ["business", "trial", true]);
  });

  test("is refused without a session, from a foreign origin, with a slug that is wrong or taken: nothing is made", async () => {
    const organisation = await dashboard.addOrganisation();
    const owner = await join(organisation, "owner");
    const body = { name: "Mine", slug: "mine" };
    assert.equal((await found("", body)).status, 401);
    assert.equal((await found(owner, body, { origin: "https://evil.example" })).status, 403);
    for (const slug of ["", "Mine", "mine-", "m ne", "x".repeat(64)]) {
      const answer = await found(owner, { ...body, slug });
      assert.deepEqual([answer.status, (answer.body["issues"] as { path: unknown }[])[0]?.path], [400, ["slug"]], slug);
    }
    const taken = await found(owner, { ...body, slug: organisation.slug });
    assert.equal(taken.status, 409);
    assert.equal((await organisationsOf(owner)).length, 1);
  });

  test("is one of at most five a day; two at once with one slug make one", async () => {
    const owner = await join(await dashboard.addOrganisation(), "owner");
    const twice = await Promise.all([1, 2].map(() => found(owner, { name: "Twice", slug: "twice" })));
    assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 409]);
    for (const slug of ["day-3", "day-4", "day-5"])
      assert.equal((await found(owner, { name: slug, slug })).status, 201);
    const sixth = await found(owner, { name: "Six", slug: "day-6" });
    assert.deepEqual([sixth.status, sixth.body["error"]], [429, "rate_limited"]);
    assert.ok(Number(sixth.headers["retry-after"]) > 0);
  });

  test("is one of at most ten that one person owns, two at once included", async () => {
    const email = `p${++people}@example.co.za`;
    for (let owned = 0; owned < 9; owned++)
      await dashboard.addMember(await dashboard.addOrganisation(), email, "owner");
    await dashboard.addMember(await dashboard.addOrganisation(), email, "admin");
    const cookie = await dashboard.signIn(email);
    const twice = await Promise.all(
      ["tenth-a", "tenth-b", "tenth-c"].map((slug) => found(cookie, { name: slug, slug })),
    );
    assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 403, 403]);
    assert.deepEqual(
      twice.flatMap(({ body }) => body["error"] ?? []),
      ["plan_limit", "plan_limit"],
    );
    assert.equal((await organisationsOf(cookie)).length, 11);
  });

  test("the tour of the demonstration is due until its member ends it, for themselves alone", async () => {
    const demo = await dashboard.addOrganisation({ slug: "demo" });
    const [owner, admin] = [await join(demo, "owner"), await join(demo, "admin")];
    const due = async (cookie: string) => (await organisationsOf(cookie))[0]?.["tourDue"];
    assert.deepEqual([await due(owner), await due(admin)], [true, true]);
    assert.equal((await dashboard.call("POST", "/tour/end", { cookie: owner })).status, 200);
    assert.deepEqual([await due(owner), await due(admin)], [false, true]);
  });
});
