// Writes: members, invitations, roles. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { InvitationsRow, MembersRow, RolesRow } from "../../domain/rows.ts";
import type { MemberId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Database, part, type Tx, when } from "../../platform/database.ts";
import { builtInWith, findBuiltIn, type HeldRole, heldRole, type Permission } from "./rules.ts";
import type {
  Invitation,
  InvitationId,
  Member,
  Membership,
  OwnRole,
  OwnRoleId,
  Person,
  Role,
  RoleId,
} from "./types.ts";

type MemberRow = Pick<MembersRow, "id" | "user_id" | "email" | "name" | "role" | "created_at">;

type InvitationRow = Pick<
  InvitationsRow,
  "id" | "email" | "role" | "invited_by" | "expires_at" | "accepted_at" | "created_at"
>;

const memberFromRow = (row: MemberRow): Member => ({
  id: row.id,
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role as RoleId,
  createdAt: row.created_at,
});

const invitationFromRow = (row: InvitationRow): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role as RoleId,
  invitedBy: row.invited_by,
  expiresAt: row.expires_at,
  acceptedAt: row.accepted_at,
  createdAt: row.created_at,
});

/**
 * The memberships of a user, oldest first, by a function of the gate (decisions.md#gate-functions). `organisation` is a row for
 * `organisationFromRow`.
 */
export async function membershipsOf(db: Database, userId: string): Promise<Membership[]> {
  const rows = await db.sql<
    Pick<MembersRow, "email" | "name" | "role"> & {
      member_id: MemberId;
      role_name: string | null;
      permissions: readonly string[] | null;
      tour_ended: boolean;
      organisation: unknown;
    }
  >`
    select member_id, email, name, role, role_name, permissions, tour_ended, organisation, organisation ->> 'id' as organisation_id
      from memberships_of(${userId})`;
  return rows.map((row) => ({
    member: { id: row.member_id, email: row.email, name: row.name, role: row.role as RoleId },
    ownRole: row.role_name === null ? null : { name: row.role_name, permissions: row.permissions ?? [] },
    tourEnded: row.tour_ended,
    organisation: row.organisation,
  }));
}

/** How many organisations a user owns, including the one of the transaction; by the same function. */
export async function countOwned(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.sql<{ owned: number }>`
    select count(organisation ->> 'id')::integer as owned from memberships_of(${userId}) where role = 'owner'`;
  return row?.owned ?? 0;
}

/** The part of an id that orders ids of several kinds by their time. */
const MADE = part`split_part(id, '_', 2)`;
const madeAfter = (id: string | undefined): string | undefined => id?.slice(id.indexOf("_") + 1);

/** Members and open invitations in one list, newest first; `q` searches names and addresses. */
export async function listPeople(tx: Tx, query: ListQuery): Promise<Person[]> {
  const rows = await tx.sql<MemberRow & InvitationRow & { user_id: string | null }>`
    select * from (
      select id, user_id, email, name, role, null as invited_by, null::timestamptz as expires_at, null::timestamptz as accepted_at,
             created_at from members where organisation_id = ${tx.organisation}
      union all
      select id, null, email, '', role, invited_by, expires_at, accepted_at, created_at from invitations
       where organisation_id = ${tx.organisation} and accepted_at is null) people
     where true
      ${when(query.q || null, (q) => part`and concat_ws(' ', name, email) ilike ${containing(q)}`)}
      ${onPage({ startingAfter: madeAfter(query.startingAfter), endingBefore: madeAfter(query.endingBefore) }, MADE)}
     ${newestFirst(query, MADE)}`;
  return rows.map((row) =>
    row.user_id === null
      ? { kind: "invitation", invitation: invitationFromRow(row) }
      : { kind: "member", member: memberFromRow(row) },
  );
}

/** Locks a member until the transaction ends. Null when absent or another organisation's. */
export async function lockMember(tx: Tx, id: string): Promise<Member | null> {
  const [row] = await locking(tx, "member").sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? memberFromRow(row) : null;
}

/** Null when absent or another organisation's. */
export async function findMember(tx: Tx, id: string): Promise<Member | null> {
  const [row] = await tx.sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? memberFromRow(row) : null;
}

/** By email address, ignoring case. */
export async function findMemberByEmail(tx: Tx, email: string): Promise<Member | null> {
  const [row] = await tx.sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation} and lower(email) = lower(${email}) order by id limit 1`;
  return row ? memberFromRow(row) : null;
}

/** Locks every owner, by id, so that changes of two owners at once run one after the other. */
export async function lockOwners(tx: Tx): Promise<Member[]> {
  const rows = await locking(tx, "owner").sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation} and role = 'owner' order by id for update`;
  return rows.map(memberFromRow);
}

/** The members with one of these built-in roles. */
export async function listByRole(tx: Tx, roles: readonly Role[]): Promise<Member[]> {
  const rows = await tx.sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation} and role = any(${roles}) order by id`;
  return rows.map(memberFromRow);
}

/** The members whose role holds a permission. */
export async function listByPermission(tx: Tx, permission: Permission): Promise<Member[]> {
  const rows = await tx.sql<MemberRow>`
    select * from members where organisation_id = ${tx.organisation}
       and (role = any(${builtInWith(permission)})
         or role in (select id from roles where organisation_id = ${tx.organisation} and ${permission} = any(permissions)))
     order by id`;
  return rows.map(memberFromRow);
}

/** Inserts a member; false when the user is a member already. */
export async function insertMember(tx: Tx, member: Member): Promise<boolean> {
  const rows = await tx.sql`
    insert into members (organisation_id, id, user_id, email, name, role, created_at)
    values (${tx.organisation}, ${member.id}, ${member.userId}, ${member.email}, ${member.name}, ${member.role}, ${member.createdAt})
    on conflict (organisation_id, user_id) do nothing returning id`;
  return rows.length > 0;
}

/** Updates a member's role. */
export function setMemberRole(tx: Tx, id: MemberId, role: RoleId): void {
  tx.queue`update members set role = ${role} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Updates the name of a member in this organisation. */
export function renameMember(tx: Tx, id: MemberId, name: string): void {
  tx.queue`update members set name = ${name} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Notes that the member has ended the tour of the demonstration; the first end stays. */
export function endMemberTour(tx: Tx, id: MemberId, now: Instant): void {
  tx.queue`
    update members set tour_ended_at = ${now} where organisation_id = ${tx.organisation} and id = ${id} and tour_ended_at is null`;
}

/** Deletes a member: their requests are refused from the commit on. The user and other memberships stay. */
export function deleteMember(tx: Tx, id: MemberId): void {
  tx.queue`delete from members where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Locks an invitation that was not accepted, also an expired one, until the transaction ends. Null when there is none. */
export async function lockOpenInvitation(tx: Tx, by: { id: string } | { email: string }): Promise<Invitation | null> {
  const [row] = await locking(tx, "invitation").sql<InvitationRow>`
    select * from invitations where organisation_id = ${tx.organisation} and accepted_at is null
      ${"id" in by ? part`and id = ${by.id}` : part`and lower(email) = lower(${by.email})`} for update`;
  return row ? invitationFromRow(row) : null;
}

/** An invitation in any state, by the hash of its token. */
export async function findInvitationByToken(tx: Tx, hash: Buffer): Promise<Invitation | null> {
  const [row] = await tx.sql<InvitationRow>`
    select * from invitations where organisation_id = ${tx.organisation} and token_hash = ${hash}`;
  return row ? invitationFromRow(row) : null;
}

/**
 * Inserts or replaces the open invitation of an address; a link that was sent before stops working. Returns the row's id, which
 * does not change when it is replaced.
 */
export async function saveInvitation(tx: Tx, invitation: Invitation, tokenHash: Buffer): Promise<InvitationId> {
  const [row] = await tx.sql<Pick<InvitationsRow, "id">>`
    insert into invitations (organisation_id, id, email, role, token_hash, invited_by, expires_at, created_at)
    values (${tx.organisation}, ${invitation.id}, ${invitation.email}, ${invitation.role}, ${tokenHash}, ${invitation.invitedBy},
      ${invitation.expiresAt}, ${invitation.createdAt})
    on conflict (organisation_id, lower(email)) where accepted_at is null do update
      set role = excluded.role, token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at
    returning id`;
  return row?.id ?? invitation.id;
}

/** Updates the role of an open invitation. */
export function setInvitationRole(tx: Tx, id: InvitationId, role: RoleId): void {
  tx.queue`update invitations set role = ${role} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Deletes an open invitation; its link stops working. */
export function deleteInvitation(tx: Tx, id: InvitationId): void {
  tx.queue`delete from invitations where organisation_id = ${tx.organisation} and id = ${id} and accepted_at is null`;
}

/** Marks an invitation as accepted. Null when it was accepted before, or has expired. */
export async function useInvitation(tx: Tx, hash: Buffer, now: Instant): Promise<Invitation | null> {
  const [row] = await tx.sql<InvitationRow>`
    update invitations set accepted_at = ${now}
     where organisation_id = ${tx.organisation} and token_hash = ${hash} and accepted_at is null and expires_at > ${now}
     returning *`;
  return row ? invitationFromRow(row) : null;
}

const roleFromRow = (row: RolesRow): OwnRole => ({
  id: row.id,
  name: row.name,
  permissions: row.permissions,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The roles that the organisation has made, by name. */
export async function listOwnRoles(tx: Tx): Promise<OwnRole[]> {
  const rows = await tx.sql<RolesRow>`
    select * from roles where organisation_id = ${tx.organisation} order by lower(name), id`;
  return rows.map(roleFromRow);
}

/** Null when absent or another organisation's. */
export async function findOwnRole(tx: Tx, id: string): Promise<OwnRole | null> {
  const [row] = await tx.sql<RolesRow>`select * from roles where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? roleFromRow(row) : null;
}

/** As `findOwnRole`, and locks the role until the transaction ends, against who changes, deletes or gives it. */
export async function lockOwnRole(tx: Tx, id: string): Promise<OwnRole | null> {
  const [row] = await locking(tx, "role").sql<RolesRow>`
    select * from roles where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? roleFromRow(row) : null;
}

/** As `findOwnRole`, and keeps the role as it is until the transaction ends: several may give it at once. */
export async function shareOwnRole(tx: Tx, id: string): Promise<OwnRole | null> {
  const [row] = await locking(tx, "role").sql<RolesRow>`
    select * from roles where organisation_id = ${tx.organisation} and id = ${id} for share`;
  return row ? roleFromRow(row) : null;
}

/** The role with this name, ignoring case. Locks the name first, so that of two at once the second finds it. */
export async function lockRoleName(tx: Tx, name: string): Promise<OwnRole | null> {
  lockName(tx, "role name", name.toLowerCase());
  const [row] = await tx.sql<RolesRow>`
    select * from roles where organisation_id = ${tx.organisation} and lower(name) = lower(${name})`;
  return row ? roleFromRow(row) : null;
}

/** Inserts a role, whose name is locked. */
export function insertOwnRole(tx: Tx, role: OwnRole): void {
  tx.queue`
    insert into roles (organisation_id, id, name, permissions, created_at, updated_at)
    values (${tx.organisation}, ${role.id}, ${role.name}, ${role.permissions}, ${role.createdAt}, ${role.updatedAt})`;
}

/** Stores the name and the permissions of a role, which is locked. */
export function updateOwnRole(tx: Tx, { id, name, permissions, updatedAt }: OwnRole): void {
  tx.queue`
    update roles set name = ${name}, permissions = ${permissions}, updated_at = ${updatedAt}
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Deletes a role, which is locked and which nobody has. */
export function deleteOwnRole(tx: Tx, id: OwnRoleId): void {
  tx.queue`delete from roles where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** How many members and invitations that were not accepted have each role. */
export async function countHolders(tx: Tx): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.sql<{ role: string; holders: number }>`
    select role, count(*)::integer as holders from (
      select role from members where organisation_id = ${tx.organisation}
      union all
      select role from invitations where organisation_id = ${tx.organisation} and accepted_at is null) people
     group by role`;
  return new Map(rows.map(({ role, holders }) => [role, holders]));
}

/** The addresses of the members and of the invitations that were not accepted with a role, in one order. */
export async function holdersOf(tx: Tx, role: OwnRoleId): Promise<string[]> {
  const rows = await tx.sql<Pick<MembersRow, "email">>`
    select email from members where organisation_id = ${tx.organisation} and role = ${role}
    union
    select email from invitations where organisation_id = ${tx.organisation} and role = ${role} and accepted_at is null
    order by email`;
  return rows.map(({ email }) => email);
}

/** The role that a member or an invitation has, as it is now. */
export async function readRole(tx: Tx, id: RoleId): Promise<HeldRole> {
  return findBuiltIn(id) ?? heldRole(id, await findOwnRole(tx, id));
}
