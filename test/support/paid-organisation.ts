import { EXTENSIONS } from "../../src/catalogue.ts";
import { newCheckoutReference } from "../../src/domain/new-references.ts";
import { type Ctx, contextFor, SYSTEM } from "../../src/flows/context.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { createGatewayAccount } from "../../src/flows/gateways/save-account.ts";
import { requestMail } from "../../src/flows/mail/mail.ts";
import { STAFF_ALERT_MAIL } from "../../src/flows/mail/staff-alerts.ts";
import { createOrganisation } from "../../src/flows/organisations/create-organisation.ts";
import { createPaymentLink } from "../../src/flows/payment-links/create-payment-link.ts";
import { applyRefundFact } from "../../src/flows/payments/apply-refund.ts";
import { recordRefund } from "../../src/flows/payments/refund-payment.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import type { Services } from "../../src/flows/services.ts";
import { createEndpoint } from "../../src/flows/webhooks/create-endpoint.ts";
import { fanOut } from "../../src/flows/webhooks/fan-out.ts";
import { internalFact, type PaymentFact } from "../../src/gateways/facts.ts";
import { gatewayHttp } from "../../src/gateways/http.ts";
import { cents } from "../../src/kernel/money.ts";
import { addSeconds } from "../../src/kernel/time.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { readEvents } from "../../src/modules/events/store.ts";
import { GatewayAccountCreate } from "../../src/modules/gateway-accounts/schema.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { PaymentLinkCreate } from "../../src/modules/payment-links/schema.ts";
import type { PaymentLink } from "../../src/modules/payment-links/types.ts";
import { PAYMENT_CHECK } from "../../src/modules/payments/declarations.ts";
import { newTransaction } from "../../src/modules/payments/rules.ts";
import { insertTransaction } from "../../src/modules/payments/store/payments.ts";
import type { Transaction } from "../../src/modules/payments/types.ts";
import { REFUND_CHECK } from "../../src/modules/refunds/declarations.ts";
import { insertRefund } from "../../src/modules/refunds/store.ts";
import { WEBHOOK_DELIVER } from "../../src/modules/webhooks/declarations.ts";
import { endpointCreate } from "../../src/modules/webhooks/schema.ts";
import { appendAttempts } from "../../src/modules/webhooks/store.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { cancelWork, enqueue } from "../../src/platform/due-work.ts";
import { createLog } from "../../src/platform/log.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import { createSecrets, generateMasterKey } from "../../src/platform/secrets.ts";
import { addWrittenMail } from "./mails.ts";
import { fileReader, renderer } from "./threads.ts";

/** Services over a database, without a listener and without background work. */
export function openServices(databaseUrl: string, secretKey: string = generateMasterKey()): Services {
  return {
    db: openDatabase(databaseUrl, { connections: 4 }),
    secrets: createSecrets({ current: secretKey, previous: [] }),
    log: createLog("silent"),
    baseUrl: "http://localhost:8080",
    mailEnabled: false,
    loopbackWebhooks: true,
    plans: false,
    extensions: EXTENSIONS,
    gatewayUrl: () => null,
    gatewayHttp,
    gatewaySources: () => null,
    renderer,
    fileReader,
    runDue: async () => ({}),
  };
}

/**
 * An organisation with everything that `verify` examines, made by the product's own flows. Its payments are identified by
 * their description: paid, overpaid, returned (in two parts), undone (a refund that failed late), pending, failed, cancelled.
 */
export async function makePaidOrganisation(services: Services): Promise<Ctx> {
  const who = { actor: SYSTEM, now: machineNow() };
  const { organisation } = await createOrganisation(services, who, {
    id: newId("org"),
    slug: "paid",
    name: "Paid",
    plan: "business",
    sandbox: true,
    trialDays: 30,
    owner: { id: "user", email: "owner@paid.example", name: "Owner" },
  });
  const ctx = contextFor(services, organisation, SYSTEM);
  const shop = await services.db.transaction(organisation.id, async (tx) => ({
    account: await createGatewayAccount(tx, ctx, GatewayAccountCreate.parse({ type: "sandbox" })),
    once: await createPaymentLink(
      tx,
      ctx,
      PaymentLinkCreate.parse({ title: "once", amount: 100, customerEmail: "payer@example.com" }),
    ),
    often: await createPaymentLink(tx, ctx, PaymentLinkCreate.parse({ title: "often", amount: 250, singleUse: false })),
    customer: await upsertCustomer(tx, ctx, CustomerBody.parse({ email: "other@example.com" })),
    endpoint: await createEndpoint(tx, ctx, endpointCreate([]).parse({ url: "http://127.0.0.1:9/" })),
  }));
  await settle(services, ctx, shop, "once", "paid", "paid");
  const overpaid = await settle(services, ctx, shop, "once", "overpaid", "paid");
  const returned = await settle(services, ctx, shop, "often", "returned", "paid");
  const undone = await settle(services, ctx, shop, "often", "undone", "paid");
  await settle(services, ctx, shop, "often", "pending", null);
  await settle(services, ctx, shop, "often", "failed", "declined");
  await settle(services, ctx, shop, "often", "cancelled", "abandoned");
  for (const amount of [20, 30])
    await services.db.transaction(ctx.organisation.id, (tx) =>
      recordRefund(tx, ctx, overpaid.reference, {
        amount: cents(amount * 100),
        reason: null,
        method: "manual",
      }),
    );
  for (const amount of [50, 200])
    await services.db.transaction(ctx.organisation.id, (tx) =>
      recordRefund(tx, ctx, returned.reference, {
        amount: cents(amount * 100),
        reason: null,
        method: "manual",
      }),
    );
  await refundThatFailsLate(services, ctx, undone);
  await deliver(services, ctx);
  return ctx;
}

interface Shop {
  readonly account: GatewayAccount;
  readonly once: PaymentLink;
  readonly often: PaymentLink;
}

async function settle(
  services: Services,
  ctx: Ctx,
  shop: Shop,
  which: "once" | "often",
  description: string,
  kind: "paid" | "declined" | "abandoned" | null,
): Promise<Transaction> {
  const link = shop[which];
  const transaction = newTransaction({
    id: newId("txn"),
    reference: newCheckoutReference(ctx.now),
    amount: link.amount,
    currency: link.currency,
    type: "once",
    gatewayAccountId: shop.account.id,
    gatewayType: "sandbox",
    sandbox: true,
    description,
    paymentLinkId: link.id,
    customerId: link.customerId,
    createdAt: ctx.now,
  });
  const { reference, amount, currency } = transaction;
  const fact = internalFact(reference, "");
  const facts: Record<NonNullable<typeof kind>, PaymentFact> = {
    paid: { ...fact, kind: "paid", amount, currency, fee: cents(390) },
    declined: { ...fact, kind: "declined", amount, currency, reason: "no", hard: false },
    abandoned: { ...fact, kind: "abandoned", amount, currency },
  };
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    insertTransaction(tx, transaction);
    enqueue(tx, PAYMENT_CHECK, transaction.id, addSeconds(ctx.now, 60));
    if (kind) await settlePayment(tx, ctx, { accountId: shop.account.id, source: "notification" }, facts[kind]);
  });
  return { ...transaction, fee: cents(390) };
}

/** A refund that the gateway accepts and later refuses: posted, then reversed. */
async function refundThatFailsLate(services: Services, ctx: Ctx, transaction: Transaction): Promise<void> {
  const id = newId("ref");
  const reported = {
    about: "refund",
    occurredAt: null,
    gatewayWord: "",
    refundId: id,
    providerRefundRef: "r1",
  } as const;
  const money = { reference: transaction.reference, amount: cents(5_000), reason: "closed account" } as const;
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    insertRefund(tx, {
      id,
      transactionId: transaction.id,
      refundNumber: `${transaction.reference}-R1`,
      amount: cents(5_000),
      currency: transaction.currency,
      method: "gateway",
      madeElsewhere: false,
      withCreditNote: false,
      status: "requested",
      reason: null,
      providerRef: null,
      failure: null,
      processedAt: null,
      createdAt: ctx.now,
    });
    enqueue(tx, REFUND_CHECK, id, addSeconds(ctx.now, 60));
    const reportedBy = { accountId: transaction.gatewayAccountId, source: "notification" } as const;
    await applyRefundFact(tx, ctx, reportedBy, { ...reported, ...money, kind: "pending" });
    await applyRefundFact(tx, ctx, reportedBy, { ...reported, ...money, kind: "refused" });
  });
}

/** Leaves one delivery succeeded, one failed for good, the rest pending; one mail recorded, one being sent, one not composed yet. */
async function deliver(services: Services, ctx: Ctx): Promise<void> {
  const { db } = services;
  const at = { at: ctx.now.toISOString(), durationMs: 5, error: null, responseExcerpt: null };
  const attempts = [
    { status: "delivered", attempt: { ...at, statusCode: 204 } },
    { status: "parked", attempt: { ...at, statusCode: 500 } },
  ] as const;
  await db.transaction(ctx.organisation.id, async (tx) => {
    const ids = await tx.sql<{ id: string }>`select id from events where organisation_id = ${tx.organisation}`;
    await fanOut(
      tx,
      ctx,
      await readEvents(
        tx,
        ids.map(({ id }) => id),
      ),
    );
    const made = await tx.sql<{ id: string }>`
      select id from webhook_deliveries where organisation_id = ${tx.organisation} order by id limit 2`;
    const rows = made.map(({ id }, at) => ({ id: id as never, nextAttemptAt: null, ...(attempts[at] ?? attempts[0]) }));
    appendAttempts(tx, rows);
    for (const { id } of rows) cancelWork(tx, WEBHOOK_DELIVER, id);
    const [paid] = await tx.sql<{ reference: string }>`
      select reference from transactions where organisation_id = ${tx.organisation} and description = 'paid'`;
    const mail = { recipients: ["payer@example.com"], subject: "s", text: "t", createdAt: ctx.now };
    await addWrittenMail(tx, { ...mail, kind: "receipt", dedupeKey: `receipt:${paid?.reference}` }, { sends: false });
    await addWrittenMail(tx, { ...mail, kind: "portal_link", dedupeKey: "portal-link:x" }, { sends: true });
    requestMail(tx, ctx, STAFF_ALERT_MAIL, {
      about: paid?.reference ?? "",
      to: ["owner@example.com"],
      facts: { alert: "overpaid", excess: cents(100) },
    });
  });
}
