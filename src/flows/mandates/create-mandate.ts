import { withFreeName } from "../../domain/free-name.ts";
import { newMandateReference } from "../../domain/new-references.ts";
import { ApiError, invalidField, noSuch } from "../../kernel/errors.ts";
import type { StatedVat } from "../../kernel/exemption.ts";
import type { CustomerId, MandateId } from "../../kernel/ids.ts";
import { counted } from "../../kernel/text.ts";
import { addSeconds, type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findIdentifiedCustomer } from "../../modules/customers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { MANDATE_CHECK } from "../../modules/mandates/declarations.ts";
import { auditedMandate, DEFAULT_DESCRIPTION, firstDebitDate } from "../../modules/mandates/rules.ts";
import type { MandateCreateBody } from "../../modules/mandates/schema.ts";
import { countOpenMandates, insertMandate, lockMandateQuota } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, quotaOf } from "../context.ts";
import { requireCollected } from "../customer-subscriptions/act-on-subscription.ts";
import { namedBy, requireCustomer } from "../customers/identified-customer.ts";
import { isSandboxPayment } from "../gateways/accounts.ts";
import { refuseWrongAccount } from "../gateways/refuse-wrong-account.ts";
import { currentSettings, vatStatedBy } from "../organisations/settings.ts";
import { authorised } from "./authorise.ts";
import { sealAccountNumber, sealIdNumber } from "./bank-account.ts";
import { CHECK_AFTER_SECONDS } from "./check-e-mandate.ts";
import { issueAgreement } from "./issue-agreement.ts";
import { appendCreated, appendStatusEvent } from "./mandate-events.ts";
import { debitOrderProvider } from "./providers.ts";
import { readMandate } from "./read-mandate.ts";

/** A mandate that was recorded, and its entry of the audit log. */
export interface RecordedMandate {
  readonly intent: MandateId;
  readonly audit: { readonly subject: string; readonly after: object };
}

/**
 * Records a mandate (interface 4.10, POST /mandates). An offline mandate is authorised at once, for one by agreement
 * the agreement is issued, and for an electronic one the gateway is asked next. Throws 400 for records in the body that
 * do not exist, and for invalid dates and bank details; 403 `plan_limit` at the plan's limit, which it counts under a
 * lock; 409 `external_subscription` for a subscription that another platform bills.
 */
export async function recordMandate(tx: Tx, ctx: Ctx, body: MandateCreateBody): Promise<RecordedMandate> {
  const authority = body.authority ?? "agreement";
  const field = body.customerId === null ? "customer" : "customerId";
  const named = body.customer ?? { id: body.customerId, externalReference: null };
  const [found, accounts, product, subscription, { debitOrders }] = await Promise.all([
    findIdentifiedCustomer(tx, named),
    listGatewayAccounts(tx),
    body.productId === null ? null : findProduct(tx, body.productId),
    body.subscriptionId === null ? null : findCustomerSubscription(tx, body.subscriptionId, calendarDay(ctx.now)),
    currentSettings(tx),
  ]);
  const customer = await requireCustomer(tx, found, field, namedBy(named));
  const provider = debitOrderProvider(ctx, accounts, { providerId: body.providerId, authority });
  if (body.productId !== null && !product) throw noSuch(["productId"], "product", body.productId);
  if (body.subscriptionId !== null) requireOwn(subscription, customer.id);
  // Accounts that hold no real money are not checked (interface 13.6).
  if (!isSandboxPayment(ctx.organisation, provider.account)) refuseWrongAccount(["bank"], body.bank);
  const dates = datesOf(ctx, body, debitOrders.defaultDebitDay);
  if (subscription) requireDebited(subscription);
  const vat = await statedVatOf(tx, ctx, body);
  await takeFromQuota(tx, ctx);
  const mandate = await insertWithReference(
    tx,
    {
      ...dates,
      id: newId("man"),
      customerId: customer.id,
      gatewayAccountId: provider.account.id,
      productId: product?.id ?? null,
      vat,
      subscriptionId: subscription?.id ?? null,
      status: "pending",
      authority,
      description: body.description ?? product?.name ?? DEFAULT_DESCRIPTION,
      notes: body.notes,
      amount: body.amount,
      lastDebitDate: null,
      nextDebitDate: null,
      lastCollectedAt: null,
      failureCount: 0,
      lastUnpaidDate: null,
      bank: {
        name: body.bank.name,
        branchCode: body.bank.branchCode,
        accountType: body.bank.accountType ?? "current",
        accountHolder: body.bank.accountHolder,
        ...sealAccountNumber(ctx, body.bank.accountNumber),
      },
      ...sealIdNumber(ctx, body.idNumber),
      eMandateUrl: null,
      authorisedAt: null,
      authorityLostAt: null,
      authorityRenewedAt: null,
      agreementSignedAt: null,
      approvedAt: null,
      rejectedAt: null,
      rejectionReason: null,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    },
    async (mandate) => (authority === "offline" ? authorised(tx, ctx, mandate) : mandate),
  );
  await begin(tx, ctx, mandate);
  return { intent: mandate.id, audit: { subject: mandate.id, after: auditedMandate(mandate) } };
}

/** Issues the agreement of a new mandate, or has its electronic mandate checked, and announces one that exists now. */
async function begin(tx: Tx, ctx: Ctx, mandate: Mandate): Promise<void> {
  if (mandate.authority === "agreement") await issueAgreement(tx, ctx, mandate, { email: true, notes: null });
  // An electronic mandate exists once its provider has not refused it (`settleMandate`).
  if (mandate.authority === "emandate")
    return enqueue(tx, MANDATE_CHECK, mandate.id, addSeconds(ctx.now, CHECK_AFTER_SECONDS));
  const record = await readMandate(tx, mandate.id);
  appendCreated(tx, ctx, record);
  appendStatusEvent(tx, ctx, { status: "pending" }, record);
}

/** What the body states of the VAT. Throws 400 beside a subscription, whose invoices have their own. */
function statedVatOf(tx: Tx, ctx: Ctx, body: MandateCreateBody): Promise<StatedVat> {
  if (body.subscriptionId && (body.taxRate !== null || body.taxExempt))
    throw invalidField(
      [body.taxExempt ? "taxExempt" : "taxRate"],
      "must be left out: the subscription's invoices have their own VAT",
    );
  return vatStatedBy(tx, ctx, body);
}

/** Throws 400 for a subscription that does not exist or is another customer's. */
function requireOwn(subscription: ShownSubscription | null, customer: CustomerId): void {
  if (subscription?.customer.id !== customer)
    throw invalidField(["subscriptionId"], "No such subscription of this customer.");
}

/**
 * Throws 409 `external_subscription` for a subscription that another platform bills; 400 for one that is not collected
 * by debit order.
 */
function requireDebited(subscription: ShownSubscription): void {
  requireCollected(subscription);
  const { collectionMethod } = subscription;
  if (collectionMethod !== "debit_order")
    throw invalidField(
      ["subscriptionId"],
      `This subscription is collected by ${collectionMethod}, not by debit order.`,
    );
}

/** Throws 400 for a start in the past, and an end that is not after the start. */
function datesOf(ctx: Ctx, { startDate, endDate, debitDay, frequency }: MandateCreateBody, defaultDebitDay: number) {
  const today: CalendarDay = calendarDay(ctx.now);
  const start = startDate ?? today;
  if (start < today) throw invalidField(["startDate"], "startDate is in the past; it may be today or later.");
  if (endDate !== null && endDate <= start) throw invalidField(["endDate"], "endDate must be after startDate.");
  const terms = { startDate: start, debitDay: debitDay ?? defaultDebitDay };
  return { ...terms, endDate, frequency: frequency ?? "monthly", firstDebitDate: firstDebitDate(terms) } as const;
}

/** Throws 403 `plan_limit` at the limit. Mandates that are not cancelled count. */
async function takeFromQuota(tx: Tx, ctx: Ctx): Promise<void> {
  const limit = quotaOf(ctx.organisation, "activeMandates");
  if (limit === null) return;
  lockMandateQuota(tx);
  if ((await countOpenMandates(tx, limit)) >= limit)
    throw new ApiError(
      "plan_limit",
      403,
      `Your plan allows ${counted(limit, "mandate")}. Cancel one, or upgrade the plan to add more.`,
    );
}

/** When a random reference is taken, another one is drawn. */
const insertWithReference = (
  tx: Tx,
  terms: Omit<Mandate, "accountReference">,
  begin: (mandate: Mandate) => Promise<Mandate>,
): Promise<Mandate> =>
  withFreeName(async () => {
    const mandate = await begin({ ...terms, accountReference: newMandateReference() });
    return (await insertMandate(tx, mandate)) ? mandate : null;
  });
