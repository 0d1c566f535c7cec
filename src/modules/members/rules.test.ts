import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_PERMISSIONS, builtIn, completed, EVERYBODYS, heldRole, lacking, mayDo, mayGrant } from "./rules.ts";
import { type OwnRoleId, ROLES } from "./types.ts";

const own = (...permissions: string[]) => heldRole("role_1" as OwnRoleId, { name: "Clerk", permissions });

test("a role that is made of permissions reads what it changes, and has what everybody has", () => {
  assert.deepEqual(completed(["invoices:write", "customers:read"]), [
    "customers:read",
    "invoices:read",
    "overview:read",
    "notes:read",
    "invoices:write",
  ]);
  assert.deepEqual(completed([]), EVERYBODYS);
  assert.deepEqual(completed(ALL_PERMISSIONS), ALL_PERMISSIONS);
});

test("every built-in role has what everybody has", () => {
  for (const role of ROLES)
    for (const permission of EVERYBODYS) assert.ok(mayDo(builtIn(role), permission), `${role}: ${permission}`);
});

test("a stored role allows what this version knows, and one that is not there nothing", () => {
  assert.deepEqual([...own("invoices:read", "spaceships:fly").permissions], ["invoices:read"]);
  const gone = heldRole("role_2" as OwnRoleId, null);
  assert.deepEqual([gone.permissions.size, mayDo(gone, "overview:read")], [0, false]);
  assert.equal(heldRole("finance", null), builtIn("finance"));
});

test("nobody gives what they lack, and only owners give owner", () => {
  const clerk = own("members:write", "invoices:read");
  const granted: readonly (readonly [Parameters<typeof mayGrant>[0], Parameters<typeof mayGrant>[1], boolean])[] = [
    [builtIn("owner"), builtIn("owner"), true],
    [builtIn("admin"), builtIn("owner"), false],
    [own(...ALL_PERMISSIONS), builtIn("owner"), false],
    [own(...ALL_PERMISSIONS), builtIn("admin"), true],
    [builtIn("admin"), builtIn("admin"), true],
    [builtIn("admin"), own(...ALL_PERMISSIONS), true],
    [clerk, own("invoices:read"), true],
    [clerk, own("invoices:read", "invoices:write"), false],
    [clerk, builtIn("viewer"), false],
  ];
  for (const [actor, target, may] of granted) assert.equal(mayGrant(actor, target), may, `${actor.id} ${target.id}`);
  assert.deepEqual(lacking(clerk, own("invoices:write", "invoices:read")), ["invoices:write"]);
});
