import { z } from "zod";
import { changeRole, createRole, removeRole } from "../../flows/members/roles.ts";
import { assert } from "../../kernel/assert.ts";
import { notFound } from "../../kernel/errors.ts";
import { builtIn, findBuiltIn, heldRole } from "../../modules/members/rules.ts";
import { RoleCreate, RoleObject, RolePatch } from "../../modules/members/schema.ts";
import { countHolders, findOwnRole, listOwnRoles } from "../../modules/members/store.ts";
import { type OwnRole, ROLES } from "../../modules/members/types.ts";
import { roleView } from "../../modules/members/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Call, type Endpoint, endpoint } from "../endpoint.ts";
import { listBody, listOf, ONLY_PAGE } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const common = {
  audience: "staff",
  tag: { name: "Roles", about: "What members may see and change: the built-in roles, and those of your own." },
} as const;
const params = z.object({ id: z.string() });

/** The member of staff who calls. */
function memberOf({ member }: Pick<Call<unknown, unknown, unknown>, "member">) {
  assert(member, "only staff have roles");
  return member;
}

const shown = (role: OwnRole, holders = 0) => roleView(heldRole(role.id, role), holders, role);

/** All roles: the built-in ones in their order, then those of the organisation, by name. */
async function allRoles(tx: Tx) {
  const [own, holders] = await Promise.all([listOwnRoles(tx), countHolders(tx)]);
  return [
    ...ROLES.map((role) => roleView(builtIn(role), holders.get(role) ?? 0)),
    ...own.map((role) => shown(role, holders.get(role.id))),
  ];
}

/** The endpoints of interface 14.1, roles. */
export const roleEndpoints: readonly Endpoint[] = [
  endpoint({
    ...common,
    method: "GET",
    path: "/roles",
    summary: "List the roles: the built-in ones, then those of your own by name",
    permission: "members:read",
    replies: { 200: listOf(RoleObject) },
    handle: async (_call, tx) => ({ status: 200, body: listBody(await allRoles(tx), ONLY_PAGE) }),
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/roles/{id}",
    summary: "Get a role",
    permission: "members:read",
    params,
    replies: { 200: RoleObject },
    async handle({ params: { id } }, tx) {
      const [own, holders] = await Promise.all([findOwnRole(tx, id), countHolders(tx)]);
      const known = findBuiltIn(id);
      if (known) return { status: 200, body: roleView(known, holders.get(id) ?? 0) };
      if (!own) throw notFound("role");
      return { status: 200, body: shown(own, holders.get(id)) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/roles",
    summary: "Make a role of permissions",
    permission: "members:write",
    body: RoleCreate,
    replies: { 201: RoleObject },
    async handle(call, tx) {
      return created(shown(await createRole(tx, call.ctx, memberOf(call), call.body)));
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/roles/{id}",
    edits: true,
    summary: "Change a role, at once for all who have it",
    permission: "members:write",
    params,
    body: RolePatch,
    replies: { 200: RoleObject },
    async handle(call, tx) {
      const { ctx, params, body } = call;
      const { before, after } = await changeRole(tx, ctx, memberOf(call), params.id, body);
      const holders = (await countHolders(tx)).get(after.id);
      return changed(shown(before, holders), shown(after, holders));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/roles/{id}",
    summary: "Delete a role of your own that nobody has",
    permission: "members:write",
    params,
    replies: { 200: RoleObject },
    async handle(call, tx) {
      return removed(shown(await removeRole(tx, memberOf(call), call.params.id)));
    },
  }),
];
