import { createHash } from "node:crypto";
import { invalid } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { customerName } from "../../modules/customers/rules.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { AGREEMENT_EXPIRE } from "../../modules/mandate-agreements/declarations.ts";
import { agreementExpiresAt } from "../../modules/mandate-agreements/rules.ts";
import { insertAgreement } from "../../modules/mandate-agreements/store.ts";
import type { MandateAgreement } from "../../modules/mandate-agreements/types.ts";
import { bankOfBranch, MANDATE_CURRENCY, shownNextDebitDate } from "../../modules/mandates/rules.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import { newSecretToken } from "../../platform/tokens.ts";
import { agreementText } from "../../templates/agreement.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { withdrawAgreement } from "./authorise.ts";
import { mailAgreement, signUrl } from "./mandate-mails.ts";

/** An agreement with its sign URL, which is not stored. */
export interface IssuedAgreement {
  readonly agreement: MandateAgreement;
  readonly signUrl: string;
}

/**
 * Issues an agreement for signing (interface 4.10): writes its text from the template, withdraws the open one, and with
 * `email` requests a mail with the sign URL if the customer has an address. The caller has locked the mandate or
 * inserts it in this transaction. Throws 400 for a cancelled mandate.
 */
export async function issueAgreement(
  tx: Tx,
  ctx: Ctx,
  mandate: Mandate,
  { email, notes }: { email: boolean; notes: string | null },
): Promise<IssuedAgreement> {
  if (mandate.status === "cancelled") throw invalid("This mandate is cancelled for good.");
  const today = calendarDay(ctx.now);
  const [{ branding, debitOrders }, customer, subscription] = await Promise.all([
    currentSettings(tx),
    findCustomer(tx, mandate.customerId),
    mandate.subscriptionId && findCustomerSubscription(tx, mandate.subscriptionId, today),
  ]);
  await withdrawAgreement(tx, mandate);
  const document = agreementText(
    debitOrders.agreementTemplate,
    {
      merchant: branding.companyName ?? ctx.organisation.name,
      merchantAddress: branding.address,
      customer: customer && customerName(customer),
      accountHolder: mandate.bank.accountHolder,
      bank: mandate.bank.name ?? bankOfBranch(mandate.bank.branchCode),
      branchCode: mandate.bank.branchCode,
      accountType: mandate.bank.accountType,
      accountNumberLast4: mandate.bank.accountNumberLast4,
      accountReference: mandate.accountReference,
      description: mandate.description,
      plan: subscription ? subscription.plan.name : null,
      amount: mandate.amount,
      currency: MANDATE_CURRENCY,
      frequency: mandate.frequency,
      debitDay: mandate.debitDay,
      firstDebitDate: shownNextDebitDate(mandate, today),
      startDate: mandate.startDate,
      endDate: mandate.endDate,
      today,
    },
    notes,
  );
  const { token, hash } = newSecretToken(ctx.organisation.id);
  const issued = {
    id: newId("agr"),
    mandateId: mandate.id,
    status: "open",
    tokenHash: hash,
    document,
    documentSha256: createHash("sha256").update(document).digest(),
    notes,
    expiresAt: agreementExpiresAt(ctx.now),
    signature: null,
    createdAt: ctx.now,
  } as const;
  const emailed = email && mailAgreement(tx, ctx, issued, { to: customer?.email ?? null, token });
  const agreement = { ...issued, emailed };
  insertAgreement(tx, agreement);
  enqueue(tx, AGREEMENT_EXPIRE, agreement.id, agreement.expiresAt);
  return { agreement, signUrl: signUrl(ctx, token) };
}
