import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addSeconds, instant } from "../../src/kernel/time.ts";
import type { Role } from "../../src/modules/members/types.ts";
import { setClock } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { openDashboard, type TestDashboard } from "../support/dashboard.ts";
import { mailsOf } from "../support/mails.ts";
import { PASSWORD } from "../support/passwords.ts";
import { stopClock } from "../support/still-clock.ts";

let dashboard: TestDashboard;
before(async () => {
  dashboard = await openDashboard();
});
after(() => dashboard.close());

let people = 0;
const newEmail = (): string => `p${++people}@example.co.za`;

/** An organisation with an owner and an admin, and their cookies. */
async function openOrganisation(facts: Partial<Organisation> = {}) {
  const organisation = await dashboard.addOrganisation(facts);
  const join = async (role: Role) => {
    const email = newEmail();
    const id = await dashboard.addMember(organisation, email, role);
    return { id, email, cookie: await dashboard.signIn(email) };
  };
  return { organisation, join, owner: await join("owner"), admin: await join("admin") };
}

const invite = (cookie: string, body: unknown) => dashboard.call("POST", "/members", { cookie, body });
const accept = (body: unknown) => dashboard.call("POST", "/invitations/accept", { body });
const list = async (cookie: string, query = "") => {
  const { status, body } = await dashboard.call("GET", `/members${query}`, { cookie });
  assert.equal(status, 200);
  return body as { data: Record<string, unknown>[]; hasMore: boolean; nextCursor: string | null };
};

/** The token of the last invitation mailed to an address. */
async function mailedToken(organisation: Organisation, email: string): Promise<string> {
  const mails = await mailsOf(dashboard.services, organisation, { kind: "invitation", recipient: email });
  const mail = mails.at(-1);
  assert.equal(mail?.status, "recorded");
  const token = /http:\/\/localhost:8080\/dashboard\/invitations\/([A-Za-z0-9_-]{64})(?=\s)/.exec(mail.text)?.[1];
  assert(token, "the mail's link ends in the token");
  return token;
}

describe("an invitation", () => {
  test("mails a link, is listed until it is accepted, and makes a member who signs in", async () => {
    const { organisation, owner } = await openOrganisation({ name: "Kwa-Thandi" });
    const email = newEmail();
    const invited = await invite(owner.cookie, { email: email.toUpperCase(), role: "finance" });
    assert.equal(invited.status, 201);
    const { id, expiresAt, createdAt, ...rest } = invited.body;
    assert.match(String(id), /^ivt_/);
    assert.deepEqual(rest, { status: "invited", email, name: null, role: "finance", roleName: "Finance" });
    assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(createdAt)), 7 * 86_400_000);
    assert.deepEqual((await list(owner.cookie)).data[0], invited.body);

    const token = await mailedToken(organisation, email);
    const preview = await dashboard.call("POST", "/invitations/preview", { body: { token } });
    assert.equal(preview.status, 200);
    assert.equal((preview.body["organisation"] as Record<string, unknown>)["name"], "Kwa-Thandi");
    assert.deepEqual(
      [preview.body["email"], preview.body["role"], preview.body["needsPassword"]],
      [email, "finance", true],
    );

    const accepted = await accept({ token, name: " Sipho ", password: PASSWORD });
    assert.equal(accepted.status, 200);
    assert.equal(accepted.body["created"], true);
    const member = accepted.body["member"] as Record<string, unknown>;
    assert.deepEqual(
      [member["status"], member["name"], member["role"], member["email"]],
      ["active", "Sipho", "finance", email],
    );
    const session = await dashboard.call("GET", "/session", { cookie: await dashboard.signIn(email) });
    const [only] = session.body["organisations"] as Record<string, unknown>[];
    assert.deepEqual([only?.["slug"], only?.["role"]], [organisation.slug, "finance"]);
    assert.deepEqual((await list(owner.cookie)).data[0], member);
    assert.equal((await list(owner.cookie)).data.length, 3);
  });

  test("of somebody known leaves their password alone and needs none", async () => {
    const { organisation, owner } = await openOrganisation();
    const elsewhere = await openOrganisation();
    const email = elsewhere.owner.email;
    await invite(owner.cookie, { email, role: "viewer" });
    const token = await mailedToken(organisation, email);
    const preview = await dashboard.call("POST", "/invitations/preview", { body: { token } });
    assert.equal(preview.body["needsPassword"], false);
    const accepted = await accept({ token, name: "Mallory", password: "a password of somebody else" });
    assert.deepEqual([accepted.status, accepted.body["created"]], [200, false]);
    await assert.rejects(dashboard.signIn(email, "a password of somebody else"));
    const session = await dashboard.call("GET", "/session", { cookie: await dashboard.signIn(email) });
    assert.equal((session.body["organisations"] as unknown[]).length, 2);
    assert.notEqual((session.body["user"] as Record<string, unknown>)["name"], "Mallory");
  });

  test("needs a password of ten characters from somebody new; refused, the link still works", async () => {
    const { organisation, owner } = await openOrganisation();
    const email = newEmail();
    await invite(owner.cookie, { email, role: "viewer" });
    const token = await mailedToken(organisation, email);
    for (const password of [undefined, null, "", "nine char"]) {
      const answer = await accept({ token, password });
      assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"]);
      assert.deepEqual((answer.body["issues"] as { path: unknown }[])[0]?.path, ["password"]);
    }
    assert.equal((await accept({ token, password: PASSWORD })).status, 200);
  });

  test("is accepted once, however many open it at once", async () => {
    const { organisation, owner } = await openOrganisation();
    const email = newEmail();
    await invite(owner.cookie, { email, role: "viewer" });
    const token = await mailedToken(organisation, email);
    const answers = await Promise.all([1, 2, 3, 4].map(() => accept({ token, password: PASSWORD })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    const again = await accept({ token, password: PASSWORD });
    assert.deepEqual([again.status, again.body["error"]], [409, "invalid_state"]);
    assert.equal((await list(owner.cookie, `?q=${email}`)).data.length, 1);
  });

  test("is sent fifty times a day by an organisation, and ten times to an address", async (t) => {
    stopClock(t);
    const { owner } = await openOrganisation();
    const email = newEmail();
    for (let n = 0; n < 10; n++) assert.equal((await invite(owner.cookie, { email, role: "viewer" })).status, 201);
    const pestered = await invite(owner.cookie, { email, role: "viewer" });
    assert.deepEqual([pestered.status, pestered.body["error"]], [429, "rate_limited"]);
    assert.ok(Number(pestered.headers["retry-after"]) > 0);
    const other = await openOrganisation();
    assert.equal((await invite(other.owner.cookie, { email, role: "viewer" })).status, 429, "by whomever");
    for (let n = 11; n < 50; n++)
      assert.equal((await invite(owner.cookie, { email: newEmail(), role: "viewer" })).status, 201, String(n));
    assert.equal((await invite(owner.cookie, { email: newEmail(), role: "viewer" })).status, 429);
  });

  test("sent again ends the link before, keeps its place and takes the new role", async () => {
    const { organisation, owner } = await openOrganisation();
    const email = newEmail();
    const first = await invite(owner.cookie, { email, role: "viewer" });
    const old = await mailedToken(organisation, email);
    const second = await invite(owner.cookie, { email, role: "support" });
    assert.deepEqual([second.status, second.body["id"], second.body["role"]], [201, first.body["id"], "support"]);
    const token = await mailedToken(organisation, email);
    assert.notEqual(token, old);
    assert.equal((await accept({ token: old, password: PASSWORD })).status, 404);
    assert.equal((await accept({ token, password: PASSWORD })).status, 200);
    const more = await invite(owner.cookie, { email: email.toUpperCase(), role: "support" });
    assert.deepEqual([more.status, more.body["error"]], [400, "invalid_request"], "a member is not invited");
  });

  test("asked for by many at once is one", async () => {
    const { owner } = await openOrganisation();
    const email = newEmail();
    const answers = await Promise.all([1, 2, 3].map(() => invite(owner.cookie, { email, role: "viewer" })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    );
    assert.equal((await list(owner.cookie, `?q=${email}`)).data.length, 1);
  });

  test("lasts seven days of the organisation's own clock", async () => {
    const now = instant("2027-01-31T08:00:00Z");
    const { organisation, owner } = await openOrganisation({ sandbox: true, clockAt: now });
    const moveTo = (seconds: number) =>
      dashboard.services.db.transaction(organisation.id, async (tx) => setClock(tx, addSeconds(now, seconds)));
    const email = newEmail();
    const invited = await invite(owner.cookie, { email, role: "viewer" });
    assert.equal(invited.body["expiresAt"], "2027-02-07T08:00:00.000Z");
    const token = await mailedToken(organisation, email);
    await moveTo(7 * 86_400);
    const answer = await accept({ token, password: PASSWORD });
    assert.deepEqual([answer.status, answer.body["error"]], [409, "invalid_state"]);
    assert.equal((await list(owner.cookie)).data[0]?.["status"], "expired");
    assert.equal(await dashboard.identity.findUser(email), null);
  });

  test("withdrawn is not accepted", async () => {
    const { organisation, owner } = await openOrganisation();
    const email = newEmail();
    const { body } = await invite(owner.cookie, { email, role: "viewer" });
    const token = await mailedToken(organisation, email);
    assert.equal((await dashboard.call("DELETE", `/members/${body["id"]}`, { cookie: owner.cookie })).status, 200);
    assert.equal((await accept({ token, password: PASSWORD })).status, 404);
  });

  test("of a read-only account waits", async () => {
    const { organisation, owner } = await openOrganisation({
      state: "trial",
      trialEndsAt: addSeconds(instant("2027-01-01T00:00:00Z"), 1),
      clockAt: instant("2027-01-01T00:00:00Z"),
      sandbox: true,
    });
    const email = newEmail();
    await invite(owner.cookie, { email, role: "viewer" });
    const token = await mailedToken(organisation, email);
    await dashboard.services.db.transaction(organisation.id, async (tx) =>
      setClock(tx, instant("2027-01-02T00:00:00Z")),
    );
    const answer = await accept({ token, password: PASSWORD });
    assert.deepEqual([answer.status, answer.body["error"]], [403, "account_restricted"]);
    assert.equal(
      (await invite(owner.cookie, { email: newEmail(), role: "viewer" })).body["error"],
      "account_restricted",
    );
  });

  const STRANGE = ["x", "", "A".repeat(64), "_".repeat(64), "a\0b", "é".repeat(64)];
  for (const token of STRANGE)
    test(`with the token ${JSON.stringify(token.slice(0, 3))}… is refused`, async () => {
      for (const path of ["accept", "preview"]) {
        const { status } = await dashboard.call("POST", `/invitations/${path}`, {
          body: { token, password: PASSWORD },
        });
        assert(status === 400 || status === 404, `${path}: ${status}`);
      }
    });

  test("is not accepted from another site's page", async () => {
    const answer = await dashboard.call("POST", "/invitations/accept", {
      body: { token: "x" },
      headers: { origin: "https://evil.example" },
    });
    assert.equal(answer.status, 403);
  });

  test("refuses an invalid address or role", async () => {
    const { owner } = await openOrganisation();
    for (const body of [{}, { email: "x", role: "viewer" }, { email: newEmail(), role: "god" }, { email: newEmail() }])
      assert.deepEqual((await invite(owner.cookie, body)).body["error"], "invalid_request");
  });

  test("is in the audit log, as its acceptance is", async () => {
    const { organisation, owner } = await openOrganisation();
    const email = newEmail();
    const { body } = await invite(owner.cookie, { email, role: "viewer" });
    await accept({ token: await mailedToken(organisation, email), password: PASSWORD });
    const rows = await dashboard.services.db.read(
      organisation.id,
      (tx) => tx.sql<{ action: string; subject: string; after: unknown }>`
      select action, subject, after from audit_log
       where organisation_id = ${tx.organisation} and action not like '%/auth/%' order by id`,
    );
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["POST /members", "POST /invitations/accept"],
    );
    assert.equal(rows[0]?.subject, body["id"]);
    assert(!JSON.stringify(rows).includes("token"), "no token in the log");
  });
});

describe("roles", () => {
  const change = (cookie: string, id: unknown, role: Role) =>
    dashboard.call("PATCH", `/members/${id}`, { cookie, body: { role } });
  const remove = (cookie: string, id: unknown) => dashboard.call("DELETE", `/members/${id}`, { cookie });

  test("are changed by owners and admins, and hold at the next request", async () => {
    const { owner, admin, join } = await openOrganisation();
    const viewer = await join("viewer");
    assert.equal((await invite(viewer.cookie, { email: newEmail(), role: "viewer" })).status, 403);
    const changed = await change(admin.cookie, viewer.id, "admin");
    assert.deepEqual([changed.status, changed.body["role"]], [200, "admin"]);
    assert.equal((await invite(viewer.cookie, { email: newEmail(), role: "viewer" })).status, 201);
    assert.equal((await change(owner.cookie, viewer.id, "admin")).status, 200, "the same role again changes nothing");
  });

  test("finance, support and viewer read members and change none", async () => {
    const { join, admin } = await openOrganisation();
    for (const role of ["finance", "support", "viewer"] as const) {
      const { cookie } = await join(role);
      assert((await list(cookie)).data.length > 0);
      assert.equal((await change(cookie, admin.id, "viewer")).body["error"], "permission_required");
      assert.equal((await remove(cookie, admin.id)).body["error"], "permission_required");
    }
  });

  test("only owners touch owners: made, changed, invited, removed", async () => {
    const { organisation, owner, admin, join } = await openOrganisation();
    const other = await join("owner");
    const viewer = await join("viewer");
    const open = await invite(owner.cookie, { email: newEmail(), role: "owner" });
    assert.equal(open.status, 201);
    const tries = [
      change(admin.cookie, other.id, "viewer"),
      change(admin.cookie, viewer.id, "owner"),
      change(admin.cookie, admin.id, "owner"),
      change(admin.cookie, open.body["id"], "viewer"),
      remove(admin.cookie, other.id),
      remove(admin.cookie, open.body["id"]),
      invite(admin.cookie, { email: newEmail(), role: "owner" }),
      invite(admin.cookie, { email: open.body["email"], role: "viewer" }),
    ];
    for (const answer of await Promise.all(tries))
      assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
    assert.equal((await change(owner.cookie, open.body["id"], "admin")).body["role"], "admin");
    assert.equal((await remove(owner.cookie, other.id)).status, 200);
    const token = await mailedToken(organisation, String(open.body["email"]));
    const accepted = await accept({ token, password: PASSWORD });
    assert.equal(
      (accepted.body["member"] as Record<string, unknown>)["role"],
      "admin",
      "the role at the time of accepting",
    );
  });

  test("the last owner stays", async () => {
    const { owner, admin } = await openOrganisation();
    for (const answer of [await change(owner.cookie, owner.id, "admin"), await remove(owner.cookie, owner.id)])
      assert.deepEqual([answer.status, answer.body["error"]], [409, "invalid_state"]);
    assert.equal((await change(owner.cookie, admin.id, "owner")).status, 200);
    assert.equal((await remove(owner.cookie, owner.id)).status, 200);
  });

  for (const leave of [
    ["step down", (cookie: string, id: string) => change(cookie, id, "viewer")],
    ["leave", remove],
  ] as const)
    test(`of two owners who ${leave[0]} at once, one stays`, async () => {
      for (let round = 0; round < 5; round++) {
        const { owner, join } = await openOrganisation();
        const other = await join("owner");
        const answers = await Promise.all([leave[1](owner.cookie, owner.id), leave[1](other.cookie, other.id)]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      }
    });

  test("of another organisation's members are not found", async () => {
    const { owner } = await openOrganisation();
    const { admin, owner: theirs } = await openOrganisation();
    const open = await invite(theirs.cookie, { email: newEmail(), role: "viewer" });
    for (const id of [admin.id, open.body["id"], "mem_x", "inv_x", "x", "%00"]) {
      assert.equal((await change(owner.cookie, id, "viewer")).status, 404, String(id));
      assert.equal((await remove(owner.cookie, id)).status, 404, String(id));
    }
  });
});

describe("the list", () => {
  test("is newest first, members and invitations together, page by page, and searched", async () => {
    const { owner, admin } = await openOrganisation();
    const emails = [newEmail(), newEmail(), newEmail()];
    for (const email of emails) await invite(owner.cookie, { email, role: "viewer" });
    const all = (await list(owner.cookie)).data.map(({ email }) => email);
    assert.deepEqual(all, [...emails.toReversed(), admin.email, owner.email]);
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(owner.cookie, `?limit=2${cursor ? `&startingAfter=${cursor}` : ""}`);
      assert.equal(page.hasMore, page.nextCursor !== null);
      paged.push(...page.data.map(({ email }) => email));
      cursor = page.nextCursor;
    } while (cursor);
    assert.deepEqual(paged, all);
    assert.deepEqual(
      (await list(owner.cookie, `?q=${emails[1]}`)).data.map(({ email }) => email),
      [emails[1]],
    );
    assert.deepEqual((await list(owner.cookie, "?q=%25")).data, []);
  });
});
