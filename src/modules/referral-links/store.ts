// Writes: referral_clicks, referral_sign_ups. Reads nothing else.
import type { Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { ReferralCount } from "./types.ts";

/** The counts of every partner whose link was followed. */
export async function referralCounts(tx: Tx): Promise<ReferralCount[]> {
  return tx.sql<ReferralCount & Record<string, unknown>>`
    select c.partner, c.clicks, (select count(*) from referral_sign_ups s
            where s.organisation_id = ${tx.organisation} and s.partner = c.partner) as "signUps"
      from referral_clicks c where c.organisation_id = ${tx.organisation} order by c.partner`;
}

/** Counts a click. */
export function countClick(tx: Tx, partner: string): void {
  tx.queue`
    insert into referral_clicks as c (organisation_id, partner, clicks) values (${tx.organisation}, ${partner}, 1)
    on conflict (organisation_id, partner) do update set clicks = c.clicks + 1`;
}

/** Records that the person of a click has signed up; once, however often it is reported. */
export function insertSignUp(tx: Tx, click: Id<"rfc">, partner: string, at: Instant): void {
  tx.queue`
    insert into referral_sign_ups (organisation_id, id, partner, signed_up_at) values (${tx.organisation}, ${click}, ${partner}, ${at})
    on conflict (organisation_id, id) do nothing`;
}
