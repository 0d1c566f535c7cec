import type { PaymentLinkId } from "../../kernel/ids.ts";
import { organisationById } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { readToken, tokenHolds } from "../../platform/tokens.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** Whose link the token of a pay page opens; null for a token that this service did not make, whatever is wrong with it. */
export async function openPayLink(
  services: Services,
  token: string,
): Promise<{ organisation: Organisation; linkId: PaymentLinkId } | null> {
  const claim = readToken(token, "plink");
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!claim || !organisation || !tokenHolds(token, linkKeyOf(services, organisation), "pay")) return null;
  return { organisation, linkId: claim.subject };
}
