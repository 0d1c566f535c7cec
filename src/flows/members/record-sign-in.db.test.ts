import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDashboard, type TestDashboard } from "../../../test/support/dashboard.ts";
import { PASSWORD } from "../../../test/support/passwords.ts";
import { listAuditEntries } from "../../modules/audit-log/store.ts";

let dashboard: TestDashboard;
before(async () => {
  dashboard = await openDashboard();
});
after(() => dashboard.close());

test("sign-in, sign-out and changes of sign-in settings are in the audit log of each of the user's organisations", async () => {
  const organisations = [await dashboard.addOrganisation(), await dashboard.addOrganisation()];
  const email = "thandi@example.co.za";
  for (const organisation of organisations) await dashboard.addMember(organisation, email, "viewer");
  const call = (path: string, body: unknown, more = {}) => dashboard.call("POST", `/auth/${path}`, { body, ...more });

  await call("sign-in/email", { email, password: "wrong" });
  const from = "198.51.100.7";
  const { cookie, headers } = await call("sign-in/email", { email, password: PASSWORD }, { from });
  await dashboard.call("GET", "/session", { cookie });
  await call("change-password", { currentPassword: "wrong", newPassword: `${PASSWORD} 2` }, { cookie });
  const changed = await call(
    "change-password",
    { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` },
    { cookie },
  );
  await call("sign-out", {}, { cookie: changed.cookie });

  for (const { id } of organisations) {
    const entries = await dashboard.services.db.read(id, (tx) => listAuditEntries(tx, { limit: 10 }));
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["POST /auth/sign-out", "POST /auth/change-password", "POST /auth/sign-in/email"],
    );
    const { actor, subject, requestId } = entries.at(-1) ?? assert.fail();
    assert.deepEqual([actor.kind, actor.name, actor.ip], ["member", "thandi", from]);
    assert.deepEqual([subject, requestId], [actor.id, headers["x-request-id"]]);
    assert.ok(!JSON.stringify(entries).includes(PASSWORD));
  }
});
