import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { changeMemberRole, removeMember } from "../../flows/members/change-member.ts";
import { inviteMember } from "../../flows/members/invite-member.ts";
import type { Services } from "../../flows/services.ts";
import { assert } from "../../kernel/assert.ts";
import { DAY_SECONDS } from "../../kernel/time.ts";
import { MemberInvite, MemberObject, MemberPatch, MemberQuery, TourEnded } from "../../modules/members/schema.ts";
import { endMemberTour, listOwnRoles, listPeople } from "../../modules/members/store.ts";
import { invitationView, personView, roleNames } from "../../modules/members/view.ts";
import type { Tx } from "../../platform/database.ts";
import { countUses } from "../../platform/rate-windows.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { digestOf } from "../dashboard/known-devices.ts";
import { type Call, type Endpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";
import { changed, created, removed } from "../replies.ts";

const common = { audience: "staff", tag: { name: "Members", about: "The people of the organisation." } } as const;
const params = z.object({ id: z.string() });

/** The member of staff who calls; these endpoints are only in the dashboard's API. */
function memberOf(call: Pick<Call<unknown, unknown, unknown>, "member">) {
  assert(call.member, "a member asks");
  return call.member;
}

/** Invitations of an organisation, and to one address by all of them. */
const INVITATIONS_A_DAY: Readonly<Record<"sent" | "received", number>> = { sent: 50, received: 10 };

/**
 * Counts an invitation, whose mail goes to an address that nobody has verified. Throws 429 with Retry-After over the
 * limits of a day (interface 8.1).
 */
async function countInvitation({ db }: Services, { organisation }: Ctx, email: string): Promise<void> {
  const start = windowStart(DAY_SECONDS);
  const scopes = [`invitations:${organisation.id}`, `invited:${digestOf(email)}`];
  const [sent = 0, received = 0] = await countUses(db.sql, scopes, start);
  const used = { sent, received };
  for (const side of ["sent", "received"] as const) {
    const limit = INVITATIONS_A_DAY[side];
    if (used[side] <= limit) continue;
    const whose = side === "sent" ? "An organisation sends" : "An address gets";
    const window = { limit, used: used[side], resetsAt: start + DAY_SECONDS };
    throw rateLimited(window, `${whose} at most ${limit} invitations a day. Wait until tomorrow.`);
  }
}

/** What the roles of the organisation are called. */
const namesIn = async (tx: Tx) => roleNames(await listOwnRoles(tx));

/** Members and open invitations. */
const membersCsv = listExport<ReturnType<typeof personView>, typeof MemberQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    email: (row) => row.email,
    name: (row) => row.name,
    role: (row) => row.role,
    roleName: (row) => row.roleName,
    expiresAt: (row) => row.expiresAt,
    createdAt: (row) => row.createdAt,
  },
  async list(tx, query, { now }) {
    const [people, nameOf] = await Promise.all([listPeople(tx, query), namesIn(tx)]);
    return people.map((person) => personView(person, nameOf, now));
  },
});

/** The endpoints of interface 14.1, members: members and invitations of an organisation. */
export const memberEndpoints: Endpoint[] = [
  endpoint({
    ...common,
    method: "GET",
    path: "/members",
    summary: "List members and open invitations, newest first",
    permission: "members:read",
    query: MemberQuery,
    replies: { 200: listOf(MemberObject) },
    async handle(call, tx) {
      const nameOf = await namesIn(tx);
      const fetch = async (wanted: typeof call.query) =>
        (await listPeople(tx, wanted)).map((person) => personView(person, nameOf, call.ctx.now));
      return listed(call, fetch, (view) => view);
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/members",
    summary: "Invite a person by mail, or send the invitation again",
    permission: "members:write",
    body: MemberInvite,
    replies: { 201: MemberObject },
    prepare: ({ services, ctx, body }) => countInvitation(services, ctx, body.email),
    async handle(call, tx) {
      const { ctx, body } = call;
      const invitation = await inviteMember(tx, ctx, memberOf(call), body);
      return created(invitationView(invitation, await namesIn(tx), ctx.now));
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/members/{id}",
    edits: true,
    summary: "Change the role of a member or of an open invitation",
    permission: "members:write",
    params,
    body: MemberPatch,
    replies: { 200: MemberObject },
    async handle(call, tx) {
      const { ctx, params, body } = call;
      const { before, after } = await changeMemberRole(tx, memberOf(call), params.id, body.role);
      const nameOf = await namesIn(tx);
      return changed(personView(before, nameOf, ctx.now), personView(after, nameOf, ctx.now));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/members/{id}",
    summary: "Remove a member at once, or withdraw an invitation",
    permission: "members:write",
    params,
    replies: { 200: MemberObject },
    async handle(call, tx) {
      const person = await removeMember(tx, memberOf(call), call.params.id);
      return removed(personView(person, await namesIn(tx), call.ctx.now));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/tour/end",
    summary: "End the tour of the demonstration, which is not shown to you again",
    permission: "overview:read",
    writes: false,
    replies: { 200: TourEnded },
    async handle(call, tx) {
      const { id } = memberOf(call);
      endMemberTour(tx, id, call.ctx.now);
      return { status: 200, body: { tourDue: false }, audit: { subject: id } };
    },
  }),
  listEndpoint(
    "members",
    "Members and open invitations",
    "members:read",
    MemberQuery.omit(PAGING),
    membersCsv,
    undefined,
    "staff",
  ),
];
