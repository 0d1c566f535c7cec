import type { TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { truncate } from "../../kernel/text.ts";
import type { DatedDebit } from "../../modules/debit-batches/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { insertPaymentLinks } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newShortCode } from "../../platform/tokens.ts";
import { dayInWords } from "../../templates/wording.ts";
import type { Ctx } from "../context.ts";

/** A debit of a mandate's own amount that was returned unpaid. */
export interface ReturnedDebit {
  readonly debit: DatedDebit;
  readonly mandate: Mandate;
  /** What is owed again, in cents. */
  readonly amount: Cents;
  readonly reason: string;
}

/** The longest description of a mandate in the title of its link. */
const TITLE_MAX = 100;

/**
 * Makes a single-use link for each debit that has none, on which its payer can still pay it: the debt of a debit that
 * no invoice carries (decisions.md#an-unpaid-debit-is-owed-as-a-link). Returns the links by their debits.
 */
export function linkReturnedDebits(
  tx: Tx,
  ctx: Ctx,
  returned: readonly ReturnedDebit[],
): ReadonlyMap<TransactionId, PaymentLink> {
  const links = new Map<TransactionId, PaymentLink>();
  for (const { debit, mandate, amount } of returned)
    if (debit.payLinkId === null)
      links.set(debit.transactionId, {
        id: newId("plink"),
        shortCode: newShortCode(),
        title: `${truncate(mandate.description, TITLE_MAX)}: debit order of ${dayInWords(debit.actionDate)}, returned unpaid`,
        description: null,
        amount,
        currency: MANDATE_CURRENCY,
        externalReference: null,
        returnUrl: null,
        metadata: {},
        recurring: null,
        singleUse: true,
        active: true,
        expiresAt: null,
        paidCount: 0,
        customerId: mandate.customerId,
        productId: mandate.productId,
        vat: mandate.vat,
        invoiceId: null,
        collectsBalance: false,
        keepsCard: false,
        issuedBy: null,
        gatewaySubscriptionId: null,
        createdAt: ctx.now,
      });
  insertPaymentLinks(tx, [...links.values()]);
  return links;
}
