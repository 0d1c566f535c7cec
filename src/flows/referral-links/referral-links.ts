import type { Id } from "../../kernel/ids.ts";
import { REFERRAL_PAGE } from "../../modules/referral-links/declarations.ts";
import { clickPurpose, PARTNERS, signUpAddress } from "../../modules/referral-links/rules.ts";
import { countClick, insertSignUp, referralCounts } from "../../modules/referral-links/store.ts";
import type { Partner, ReferralCount } from "../../modules/referral-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { readToken, signToken, verifyToken } from "../../platform/tokens.ts";
import { type Ctx, realTime } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { linkKeyOf } from "../organisations/link-key.ts";

/** A partner with the organisation's own link and its counts. */
export type ReferralLink = Partner & ReferralCount & { readonly url: string };

/** The organisation's links, one for each partner; they never change. */
export async function readReferralLinks(tx: Tx, ctx: Ctx): Promise<ReferralLink[]> {
  const counts = await referralCounts(tx);
  return PARTNERS.map((partner) => ({
    clicks: 0,
    signUps: 0,
    ...counts.find((count) => count.partner === partner.partner),
    ...partner,
    url: hostedUrl(ctx, REFERRAL_PAGE, partner.linkId),
  }));
}

/** The partner of a link; null when the partner was removed. */
export const partnerOf = (link: Id<"rfl">): Partner | null => PARTNERS.find(({ linkId }) => linkId === link) ?? null;

/** The target of a click on a link: the partner's address, with a token of this click, which is not stored. */
export const addressOfClick = ({ organisation, secrets }: Ctx, partner: Partner): string =>
  signUpAddress(
    partner,
    signToken(linkKeyOf(secrets, organisation), clickPurpose(partner), organisation.id, newId("rfc")),
  );

/** Counts a person's click. */
export const recordClick = (tx: Tx, { partner }: Partner): void => countClick(tx, partner);

/**
 * Records that the person who clicked has signed up, as the partner reports with the click's token. False for a token
 * of another link.
 */
export function recordSignUp(tx: Tx, { organisation, secrets }: Ctx, partner: Partner, token: string): boolean {
  const click = readToken(token, "rfc");
  if (click?.organisation !== organisation.id) return false;
  if (!verifyToken(token, linkKeyOf(secrets, organisation), clickPurpose(partner))) return false;
  insertSignUp(tx, click.subject, partner.partner, realTime());
  return true;
}
