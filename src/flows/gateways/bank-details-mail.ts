import { findBankDetailChange } from "../../modules/bank-detail-changes/store.ts";
import type { BankDetailChange } from "../../modules/bank-detail-changes/types.ts";
import { findMember, listByRole } from "../../modules/members/store.ts";
import type { Tx } from "../../platform/database.ts";
import { bankDetailsChangedMail } from "../../templates/mails/bank-details-changed.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromTefo } from "../mail/senders.ts";

/** The change, and the name of the person who made it, as they were then. */
type ChangeFacts = { readonly change: string; readonly by: string; readonly ip: string | null };

/** To the owners: the bank account that payers see was added, changed or removed. */
export const BANK_DETAILS_MAIL = declareMail<ChangeFacts>("bank_details_changed", async (tx, ctx, { facts }) => {
  const { by, ip } = facts;
  const change = await findBankDetailChange(tx, facts.change);
  return (
    change &&
    fromTefo(
      bankDetailsChangedMail({
        ...change,
        ...{ by, ip },
        organisationName: ctx.organisation.name,
        sandbox: ctx.organisation.sandbox,
        url: `${ctx.baseUrl}/dashboard/${change.kind === "removed" ? "gateways" : `gateways/${change.gatewayAccountId}`}`,
      }),
    )
  );
});

/** Requests the mail about a change that `ctx.actor` has just made, to all present owners. */
export async function mailBankDetails(tx: Tx, ctx: Ctx, { id, gatewayAccountId }: BankDetailChange): Promise<void> {
  const { actor } = ctx;
  const owners = await listByRole(tx, ["owner"]);
  const member = actor.kind === "member" && actor.id !== null ? await findMember(tx, actor.id) : null;
  const address = member && member.email !== actor.name ? ` (${member.email})` : "";
  requestMail(tx, ctx, BANK_DETAILS_MAIL, {
    about: gatewayAccountId,
    to: owners.map(({ email }) => email),
    facts: { change: id, by: `${actor.name ?? actor.kind}${address}`, ip: actor.ip },
  });
}
