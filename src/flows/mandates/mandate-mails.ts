import { type Instant, instant, toTimestamp } from "../../kernel/time.ts";
import { customerName, greetingName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findAgreement } from "../../modules/mandate-agreements/store.ts";
import type { MandateAgreement } from "../../modules/mandate-agreements/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import { type HeldRole, mayDo } from "../../modules/members/rules.ts";
import { listByPermission } from "../../modules/members/store.ts";
import type { Tx } from "../../platform/database.ts";
import {
  type AgreementMailFacts,
  agreementMail,
  agreementSignedMail,
  agreementSignedStaffMail,
} from "../../templates/mails/mandate.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail, secretOf } from "../mail/mail.ts";
import { fromMerchant, fromTefo } from "../mail/senders.ts";

/** The roles that may issue a sign URL may also read it. */
const maySign = (role: HeldRole): boolean => mayDo(role, "mandates:write");

/** To the customer: the sign URL of an agreement. The subject of the mails in this file is the agreement's id. */
export const AGREEMENT_MAIL = declareMail<{ readonly expiresAt: string }>(
  "mandate_agreement",
  async (tx, ctx, request) => {
    const read = await readAgreement(tx, request.about);
    if (!read) return null;
    const expiresAt = instant(request.facts.expiresAt);
    const url = signUrl(ctx, secretOf(ctx, request));
    // A mandate that is authorised in another way, or was signed earlier, is collected even when this agreement is not
    // signed.
    const waits = read.mandate.authority === "agreement" && stageOf(read.mandate) === "awaiting_signature";
    return fromMerchant(tx, ctx, (brand) => agreementMail({ ...factsOf(read, url), brand, expiresAt, waits }));
  },
  maySign,
);

/** To the customer: the page of the signed agreement. */
export const AGREEMENT_SIGNED_MAIL = declareMail<{ readonly signedAt: string }>(
  "mandate_agreement_signed",
  async (tx, ctx, request) => {
    const read = await readAgreement(tx, request.about);
    if (!read) return null;
    const signedAt = instant(request.facts.signedAt);
    const url = signUrl(ctx, secretOf(ctx, request));
    return fromMerchant(tx, ctx, (brand) => agreementSignedMail({ ...factsOf(read, url), brand, signedAt }));
  },
  maySign,
);

/** To the members who may change mandates: an agreement was signed. */
export const AGREEMENT_SIGNED_STAFF_MAIL = declareMail<{ readonly signedAt: string; readonly signerName: string }>(
  "mandate_agreement_signed_staff",
  async (tx, ctx, { about, facts }) => {
    const read = await readAgreement(tx, about);
    if (!read) return null;
    const { mandate, customer } = read;
    return fromTefo(
      agreementSignedStaffMail({
        organisationName: ctx.organisation.name,
        sandbox: ctx.organisation.sandbox,
        customerName: customer && customerName(customer),
        accountReference: mandate.accountReference,
        signerName: facts.signerName,
        signedAt: instant(facts.signedAt),
        awaitsApproval: stageOf(mandate) === "awaiting_approval",
        url: `${ctx.baseUrl}/dashboard/mandates/${mandate.id}`,
      }),
    );
  },
);

/** The address of the page on which this token's agreement is signed. Secret. */
export const signUrl = ({ baseUrl }: Pick<Ctx, "baseUrl">, token: string): string => `${baseUrl}/sign-mandate/${token}`;

/** Requests the mail with the sign URL, once for each agreement. False when there is no address. */
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

/** Requests the mails to customer and staff that an agreement was signed, once each. */
export async function mailSigned(
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<MandateAgreement, "id">,
  signed: { readonly to: string | null; readonly token: string; readonly signerName: string; readonly at: Instant },
): Promise<void> {
  const signedAt = toTimestamp(signed.at);
  requestMail(tx, ctx, AGREEMENT_SIGNED_MAIL, {
    about: id,
    to: [signed.to],
    once: `agreement-signed:${id}`,
    facts: { signedAt },
    secret: signed.token,
  });
  const staff = await listByPermission(tx, "mandates:write");
  requestMail(tx, ctx, AGREEMENT_SIGNED_STAFF_MAIL, {
    about: id,
    to: staff.map(({ email }) => email),
    once: `agreement-signed-staff:${id}`,
    facts: { signedAt, signerName: signed.signerName },
  });
}

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
