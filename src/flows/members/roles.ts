import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import { completed, EVERYBODYS, findBuiltIn, heldRole, type Permission } from "../../modules/members/rules.ts";
import type { RoleCreateBody, RolePatchBody } from "../../modules/members/schema.ts";
import {
  deleteOwnRole,
  holdersOf,
  insertOwnRole,
  listOwnRoles,
  lockOwnRole,
  lockRoleName,
  updateOwnRole,
} from "../../modules/members/store.ts";
import type { OwnRole } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { type Granting, requireGrant } from "./invite-member.ts";

/** More are not found again in the choice of a role. */
const ROLES_MAX = 50;
/** Members whom a refusal names. */
const NAMED_MAX = 5;

type By = Pick<Granting, "role">;

/** Throws 400 for the name of a built-in role, and of another one than `id`. Locks the name. */
async function requireFreeName(tx: Tx, name: string, id?: string): Promise<void> {
  if (findBuiltIn(name.toLowerCase())) throw invalidField(["name"], `${name} is a built-in role: choose another name.`);
  const other = await lockRoleName(tx, name);
  if (other && other.id !== id) throw invalidField(["name"], `There is a role named ${other.name}.`);
}

/** Throws 400 for a role that would allow nothing but what everybody may. */
function permissionsOf(chosen: readonly Permission[]): Permission[] {
  if (chosen.every((permission) => EVERYBODYS.includes(permission)))
    throw invalidField(["permissions"], "Choose what the role may see or change.");
  return completed(chosen);
}

/**
 * Makes a role of permissions (interface 14.1). Throws 400 for a name that is taken, for no permission, and beyond 50
 * roles; 403 for a permission that the maker lacks.
 */
export async function createRole(tx: Tx, ctx: Ctx, by: By, body: RoleCreateBody): Promise<OwnRole> {
  const role: OwnRole = {
    id: newId("role"),
    name: body.name,
    permissions: permissionsOf(body.permissions),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  requireGrant(by, heldRole(role.id, role));
  await requireFreeName(tx, role.name);
  if ((await listOwnRoles(tx)).length >= ROLES_MAX)
    throw invalidField(["name"], `There are ${ROLES_MAX} roles: delete one first.`);
  insertOwnRole(tx, role);
  return role;
}

/** Locks a role. Throws 404, and 409 for a built-in one. */
async function lockChangeable(tx: Tx, by: By, id: string): Promise<OwnRole> {
  if (findBuiltIn(id))
    throw new ApiError("invalid_state", 409, "Built-in roles stay as they are. Make one of your own.");
  const role = await lockOwnRole(tx, id);
  if (!role) throw notFound("role");
  requireGrant(by, heldRole(role.id, role));
  return role;
}

/**
 * Changes a role, which holds at once for all who have it. Returns both states. Throws 400 as `createRole`; 403 for a
 * permission, before or after, that the caller lacks; 404; 409 for a built-in role.
 */
export async function changeRole(
  tx: Tx,
  ctx: Ctx,
  by: By,
  id: string,
  { name, permissions }: RolePatchBody,
): Promise<{ before: OwnRole; after: OwnRole }> {
  const before = await lockChangeable(tx, by, id);
  const after: OwnRole = {
    ...before,
    name: name ?? before.name,
    permissions: permissions ? permissionsOf(permissions) : before.permissions,
    updatedAt: ctx.now,
  };
  requireGrant(by, heldRole(id as OwnRole["id"], after));
  await requireFreeName(tx, after.name, before.id);
  updateOwnRole(tx, after);
  return { before, after };
}

/** Deletes a role that nobody has, and returns it. Throws 403, 404; 409 for a built-in role and one that somebody has, with who. */
export async function removeRole(tx: Tx, by: By, id: string): Promise<OwnRole> {
  const role = await lockChangeable(tx, by, id);
  const holders = await holdersOf(tx, role.id);
  if (holders.length > 0) {
    const others = holders.length - NAMED_MAX;
    const named = [...holders.slice(0, NAMED_MAX), ...(others > 0 ? [`${others} more`] : [])].join(", ");
    throw new ApiError(
      "invalid_state",
      409,
      `${named} ${holders.length === 1 ? "has" : "have"} the role ${role.name}. Give them another role first.`,
    );
  }
  deleteOwnRole(tx, role.id);
  return role;
}
