import { instant, toTimestamp } from "../../kernel/time.ts";
import { greetingName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findAgreement } from "../../modules/mandate-agreements/store.ts";
import type { MandateAgreement } from "../../modules/mandate-agreements/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import { mayDo } from "../../modules/members/rules.ts";
import type { Role } from "../../modules/members/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type AgreementMailFacts, agreementMail } from "../../templates/mails/mandate.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail, secretOf } from "./mail.ts";
import { fromMerchant } from "./senders.ts";

/** Those who may issue a sign URL may read one. */
const maySign = (role: Role): boolean => mayDo(role, "mandates:write");

/** To the customer: the sign URL of an agreement. The mails of this file are about the agreement's id. */
export const AGREEMENT_MAIL = declareMail<{ readonly expiresAt: string }>(
  "mandate_agreement",
  async (tx, ctx, request) => {
    const read = await readAgreement(tx, request.about);
    if (!read) return null;
    const expiresAt = instant(request.facts.expiresAt);
    const url = signUrl(ctx, secretOf(ctx, request));
    return fromMerchant(tx, ctx, (brand) => agreementMail({ ...factsOf(read, url), brand, expiresAt }));
  },
  maySign,
);

/** The address of the page on which the agreement of this token is signed. Secret. */
export const signUrl = ({ baseUrl }: Pick<Ctx, "baseUrl">, token: string): string => `${baseUrl}/sign-mandate/${token}`;

/** Asks for the mail with the sign URL, once an agreement. False when there is no address. */
export const mailAgreement = (
  tx: Tx,
  ctx: Ctx,
  { id, expiresAt }: Pick<MandateAgreement, "id" | "expiresAt">,
  { to, token }: { to: string | null; token: string },
): boolean =>
  requestMail(tx, ctx, AGREEMENT_MAIL, {
    about: id,
    to: [to],
    once: `agreement:${id}`,
    facts: { expiresAt: toTimestamp(expiresAt) },
    secret: token,
  });

interface ReadAgreement {
  readonly mandate: MandateRecord;
  readonly customer: Customer | null;
}

async function readAgreement(tx: Tx, id: string): Promise<ReadAgreement | null> {
  const agreement = await findAgreement(tx, id);
  const mandate = agreement && (await findMandate(tx, agreement.mandateId));
  return mandate && { mandate, customer: await findCustomer(tx, mandate.customerId) };
}

const factsOf = ({ mandate, customer }: ReadAgreement, url: string): Omit<AgreementMailFacts, "brand"> => ({
  customerName: customer && greetingName(customer),
  description: mandate.description,
  amount: mandate.amount,
  currency: MANDATE_CURRENCY,
  accountReference: mandate.accountReference,
  account: `ending in ${mandate.bank.accountNumberLast4}`,
  url,
});
