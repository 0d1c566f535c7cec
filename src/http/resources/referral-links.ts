import { readReferralLinks } from "../../flows/referral-links/referral-links.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { ReferralLinkObject } from "../../modules/referral-links/schema.ts";
import { pageQuery } from "../../platform/schema.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listOf, ONLY_PAGE } from "../lists.ts";

/** The endpoints of interface 4.13. */
export const referralLinkEndpoints = [
  endpoint({
    audience: "clients",
    tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
    method: "GET",
    path: "/accounting/referral-links",
    summary: "List links for signing up with accounting partners, with clicks and sign-ups",
    permission: "settings:read",
    query: pageQuery(["rfl"], {}),
    replies: { 200: listOf(ReferralLinkObject) },
    async handle({ ctx }, tx) {
      const links = await readReferralLinks(tx, ctx);
      const data = links.map(({ partner, name, url, clicks, signUps }) => ({
        object: "referral_link" as const,
        ...{ partner, name, url, clicks, signUps },
        createdAt: toTimestamp(ctx.organisation.createdAt),
      }));
      return { status: 200, body: listBody(data, ONLY_PAGE) };
    },
  }),
];
