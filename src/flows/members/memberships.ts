import { type HeldRole, heldRole } from "../../modules/members/rules.ts";
import { membershipsOf } from "../../modules/members/store.ts";
import type { Member } from "../../modules/members/types.ts";
import { DEMO_SLUG } from "../../modules/organisations/rules.ts";
import { type OrganisationRow, organisationFromRow } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Services } from "../services.ts";

/** A membership of a user, with its organisation. */
export interface MembershipFacts {
  readonly member: Pick<Member, "id" | "email" | "name"> & { readonly role: HeldRole };
  /** Whether the tour of the demonstration is still shown to the member. */
  readonly tourDue: boolean;
  readonly organisation: Organisation;
}

/**
 * A user's memberships, oldest first. They are read on each request, so that a deleted one and a changed role have effect
 * from the commit on.
 */
export async function membershipsOfUser(services: Pick<Services, "db">, userId: string): Promise<MembershipFacts[]> {
  const found = await membershipsOf(services.db, userId);
  return found.map(({ member, ownRole, tourEnded, organisation: row }) => {
    const organisation = organisationFromRow(row as OrganisationRow);
    const role = heldRole(member.role, ownRole);
    return { member: { ...member, role }, tourDue: organisation.slug === DEMO_SLUG && !tourEnded, organisation };
  });
}
