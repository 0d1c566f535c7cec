import type { EftOrderId } from "../../kernel/ids.ts";
import { organisationById } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { readToken, tokenHolds } from "../../platform/tokens.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** Whose order the token of an EFT page opens; null for a token that this service did not make, whatever is wrong with it. */
export async function openEftPage(
  services: Services,
  token: string,
): Promise<{ organisation: Organisation; orderId: EftOrderId } | null> {
  const claim = readToken(token, "eft");
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!claim || !organisation || !tokenHolds(token, linkKeyOf(services, organisation), "eft")) return null;
  return { organisation, orderId: claim.subject };
}
