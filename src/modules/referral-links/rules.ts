import type { Id } from "../../kernel/ids.ts";
import type { Partner } from "./types.ts";

const linkId = (place: number) => `rfl_${String(place).padStart(26, "0")}` as Id<"rfl">;

/**
 * The partners, in the order of the list. A partner's number is part of its links: it never changes, and is never used
 * for another partner.
 */
export const PARTNERS: readonly Partner[] = [
  { partner: "xero", name: "Xero", linkId: linkId(1), signUpUrl: "https://www.xero.com/za/signup/" },
  {
    partner: "sage",
    name: "Sage",
    linkId: linkId(2),
    signUpUrl: "https://www.sage.com/en-za/sage-business-cloud/accounting/",
  },
  {
    partner: "quickbooks",
    name: "QuickBooks",
    linkId: linkId(3),
    signUpUrl: "https://quickbooks.intuit.com/za/pricing/",
  },
];

/** What signs the token of a click at a partner. */
export const clickPurpose = ({ partner }: Pick<Partner, "partner">): string => `refer:${partner}`;

/** The partner's address for one click; the partner reports the click's token when somebody signs up. */
export function signUpAddress({ signUpUrl }: Partner, click: string): string {
  const url = new URL(signUpUrl);
  url.searchParams.set("utm_source", "tefo");
  url.searchParams.set("click", click);
  return url.href;
}

/** Programs that follow links automatically, by their `User-Agent`. */
const BOT = new RegExp(
  [
    String.raw`bot\b|bot[/;]|crawl|spider|slurp|facebookexternalhit|whatsapp|telegram|embedly|preview|headlesschrome|`,
    "lighthouse|pingdom|uptime|monitor|scanner|safelinks",
  ].join(""),
  "i",
);

/** Whether a person made the request for a link, as far as its headers show: no bot, and no prefetch of a browser. */
export function isByPerson(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  const { "user-agent": agent, purpose, "sec-purpose": secPurpose, "x-moz": moz } = headers;
  const ahead = [purpose, secPurpose, moz].some((value) => /prefetch|prerender|preview/i.test(String(value ?? "")));
  return typeof agent === "string" && agent.trim() !== "" && !BOT.test(agent) && !ahead;
}
