import { greetingName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Tx } from "../../platform/database.ts";
import { welcomeMail } from "../../templates/mails/welcome.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";

/** To a customer that a checkout has created (interface 4.12). */
export const WELCOME_MAIL = declareMail<Record<string, never>>("welcome", async (tx, ctx, { about }) => {
  const customer = await findCustomer(tx, about);
  if (!customer) return null;
  return fromMerchant(tx, ctx, (brand) =>
    welcomeMail({
      brand,
      customerName: greetingName(customer),
      accountCode: customer.accountCode,
      portalUrl: `${ctx.baseUrl}/portal/${ctx.organisation.slug}`,
    }),
  );
});

/** Requests the mail, once for each customer. */
export function mailWelcome(tx: Tx, ctx: Ctx, { id, email }: Customer): void {
  requestMail(tx, ctx, WELCOME_MAIL, { about: id, to: [email], once: `welcome:${id}`, facts: {} });
}
