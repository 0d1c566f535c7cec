import { membershipsOf } from "../../modules/members/store.ts";
import type { Member } from "../../modules/members/types.ts";
import { type OrganisationRow, organisationFromRow } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Services } from "../services.ts";

/** A user in one organisation. */
export interface MembershipFacts {
  readonly member: Pick<Member, "id" | "email" | "name" | "role">;
  readonly organisation: Organisation;
}

/** Every organisation a user may act in, oldest membership first; read anew each time, so a removal holds at once. */
export async function membershipsOfUser(services: Pick<Services, "db">, userId: string): Promise<MembershipFacts[]> {
  const found = await membershipsOf(services.db, userId);
  return found.map(({ member, organisation }) => ({
    member,
    organisation: organisationFromRow(organisation as OrganisationRow),
  }));
}
