// Writes: gateway_subscriptions, subscription_retries. Reads: transactions.

import { createdIn, hasMetadata, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName, lockNames } from "../../domain/locks.ts";
import type { GatewaySubscriptionsRow } from "../../domain/rows.ts";
import type { GatewaySubscriptionId, PaymentLinkId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import type { GatewaySubscription, SubscriptionCard, SubscriptionFlag, SubscriptionRetry } from "./types.ts";

/** `SealContext.column` of the handles that adapters use to act on subscriptions. */
export const HANDLE_COLUMN = "gateway_subscriptions.handle";
/** `SealContext.column` of the cards' tokens. */
export const CARD_TOKEN_COLUMN = "gateway_subscriptions.card_token";

const fromRow = (row: GatewaySubscriptionsRow): GatewaySubscription => ({
  id: row.id,
  status: row.status,
  frequency: row.frequency,
  amount: row.amount_cents,
  otherAmount:
    row.other_amount_cents === null ? null : { amount: row.other_amount_cents, until: row.other_amount_until },
  currency: row.currency,
  gatewayAccountId: row.gateway_account_id,
  gatewayType: row.gateway_type,
  paymentLinkId: row.payment_link_id,
  customerId: row.customer_id,
  invoiceId: row.invoice_id,
  firstReference: row.first_reference,
  linkKey: row.link_key,
  handleSealed: row.handle_sealed,
  card: cardFromRow(row),
  payerEmail: row.payer_email,
  description: row.description,
  externalReference: row.external_reference,
  metadata: row.metadata,
  nextChargeOn: row.next_charge_on,
  flags: row.flags as SubscriptionFlag[],
  paused: { value: row.paused, asOf: row.paused_as_of },
  pastDue: { value: row.past_due, asOf: row.past_due_as_of },
  missedCharges: row.missed_charges,
  replacedById: row.replaced_by_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const cardFromRow = ({
  card_token_sealed,
  card_brand,
  card_last4,
}: GatewaySubscriptionsRow): SubscriptionCard | null =>
  card_token_sealed === null || card_brand === null || card_last4 === null
    ? null
    : { tokenSealed: card_token_sealed, brand: card_brand, last4: card_last4 };

const one = (rows: readonly GatewaySubscriptionsRow[]): GatewaySubscription | null =>
  rows[0] ? fromRow(rows[0]) : null;

/** Inserts a subscription. Violates `gateway_subscriptions_key` when the account has one with its key. */
export function insertGatewaySubscription(tx: Tx, s: GatewaySubscription): void {
  tx.queue`
    insert into gateway_subscriptions (organisation_id, id, status, frequency, amount_cents, currency, gateway_account_id, gateway_type,
      payment_link_id, customer_id, invoice_id, first_reference, link_key, handle_sealed, card_token_sealed, card_brand,
      card_last4, payer_email, description, external_reference, metadata, next_charge_on, paused, paused_as_of,
      past_due, past_due_as_of, created_at, updated_at)
    values (${tx.organisation}, ${s.id}, ${s.status}, ${s.frequency}, ${s.amount}, ${s.currency}, ${s.gatewayAccountId}, ${s.gatewayType},
      ${s.paymentLinkId}, ${s.customerId}, ${s.invoiceId}, ${s.firstReference}, ${s.linkKey}, ${s.handleSealed},
      ${s.card?.tokenSealed ?? null}, ${s.card?.brand ?? null}, ${s.card?.last4 ?? null}, ${s.payerEmail},
      ${s.description}, ${s.externalReference}, ${JSON.stringify(s.metadata)}, ${s.nextChargeOn}, ${s.paused.value},
      ${s.paused.asOf}, ${s.pastDue.value}, ${s.pastDue.asOf}, ${s.createdAt}, ${s.updatedAt})`;
}

/** Updates the fields of a subscription that can change. The caller has locked it. */
export function saveGatewaySubscription(tx: Tx, s: GatewaySubscription): void {
  tx.queue`
    update gateway_subscriptions set status = ${s.status}, amount_cents = ${s.amount},
      other_amount_cents = ${s.otherAmount?.amount ?? null}, other_amount_until = ${s.otherAmount?.until ?? null},
      gateway_account_id = ${s.gatewayAccountId}, gateway_type = ${s.gatewayType},
      first_reference = ${s.firstReference}, link_key = ${s.linkKey}, handle_sealed = ${s.handleSealed},
      card_token_sealed = ${s.card?.tokenSealed ?? null}, card_brand = ${s.card?.brand ?? null},
      card_last4 = ${s.card?.last4 ?? null}, payer_email = ${s.payerEmail}, next_charge_on = ${s.nextChargeOn},
      paused = ${s.paused.value}, paused_as_of = ${s.paused.asOf}, past_due = ${s.pastDue.value},
      past_due_as_of = ${s.pastDue.asOf}, missed_charges = ${s.missedCharges}, replaced_by_id = ${s.replacedById},
      flags = ${s.flags}, updated_at = ${s.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${s.id}`;
}

/** Null when absent or another organisation's. */
export async function findGatewaySubscription(tx: Tx, id: string): Promise<GatewaySubscription | null> {
  return one(
    await tx.sql<GatewaySubscriptionsRow>`
      select * from gateway_subscriptions where organisation_id = ${tx.organisation} and id = ${id}`,
  );
}

/** As `findGatewaySubscription`, locked until the transaction ends. */
export async function lockGatewaySubscription(tx: Tx, id: string): Promise<GatewaySubscription | null> {
  return one(
    await locking(tx, "gateway subscription").sql<GatewaySubscriptionsRow>`
      select * from gateway_subscriptions where organisation_id = ${tx.organisation} and id = ${id} for no key update`,
  );
}

/** Locks the name, so that payments that start subscriptions by one link complete one after the other. */
export const lockSubscriptionsOfLink = (tx: Tx, link: PaymentLinkId): void =>
  lockName(tx, "gateway subscription", link);

/**
 * Locks the key of a subscription at a gateway account, and the reference under which the gateway reports it when there
 * is one, so that reports about one subscription are applied one after the other, also while it begins.
 */
export const lockSubscriptionKey = (tx: Tx, accountId: string, key: string, reference: string | null = null): void =>
  lockNames(
    tx,
    "gateway subscription",
    [key, ...(reference === null ? [] : [reference])].map((name) => `${accountId} ${name}`),
  );

/** By the key of its gateway account; null when there is none. */
export async function findGatewaySubscriptionByKey(
  tx: Tx,
  accountId: string,
  key: string,
): Promise<GatewaySubscription | null> {
  return one(
    await tx.sql<GatewaySubscriptionsRow>`
      select * from gateway_subscriptions
       where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId} and link_key = ${key}`,
  );
}

/** Newest first; `q` searches references, description, amount and payer. */
export async function listGatewaySubscriptions(
  tx: Tx,
  query: ListQuery<"externalReference" | "status" | "customerId">,
): Promise<GatewaySubscription[]> {
  const rows = await tx.sql<GatewaySubscriptionsRow>`
    select * from gateway_subscriptions where organisation_id = ${tx.organisation}
      ${when(query.status, (status) => part`and status = ${status}`)}
      ${when(query.customerId, (customerId) => part`and customer_id = ${customerId}`)}
      ${when(query.externalReference, (externalReference) => part`and external_reference = ${externalReference}`)}
      ${onPage(query, part`id`)}
      ${createdIn(query, "gsub", { id: part`id`, createdAt: part`created_at` })}
      ${hasMetadata(query, part`metadata`)}
      ${when(
        query.q || null,
        (q) => part`and (external_reference = ${q} or first_reference = ${q}
                                               or concat_ws(' ', description, payer_email) ilike ${containing(q)}
                                               or amount_cents = any (${query.named?.amounts ?? []}::bigint[]))`,
      )}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/**
 * The newest subscription that each of these links has started. For a single-use link it is the first one, whatever is paid again later
 * (decisions.md#two-payments-begin-one-subscription).
 */
export async function subscriptionsOfLinks(
  tx: Tx,
  links: readonly { readonly id: PaymentLinkId; readonly singleUse: boolean }[],
): Promise<ReadonlyMap<string, Pick<GatewaySubscription, "id" | "status">>> {
  if (links.length === 0) return new Map();
  const rows = await tx.sql<Pick<GatewaySubscriptionsRow, "id" | "status" | "payment_link_id">>`
    select distinct on (payment_link_id) payment_link_id, id, status from gateway_subscriptions
     where organisation_id = ${tx.organisation} and payment_link_id = any(${links.map(({ id }) => id)})
     order by payment_link_id,
       case when payment_link_id = any(${links.filter(({ singleUse }) => singleUse).map(({ id }) => id)}) then id end, id desc`;
  return new Map(rows.map(({ payment_link_id, id, status }) => [payment_link_id ?? "", { id, status }]));
}

/** A missed charge. */
export interface MissedCharge {
  readonly reference: string;
  /** In cents. */
  readonly amount: Cents;
}

/** The latest charge that was missed and not collected since; null when there is none. */
export async function latestMissedCharge(tx: Tx, subscription: GatewaySubscriptionId): Promise<MissedCharge | null> {
  const [row] = await tx.sql<{ reference: string; amount_cents: Cents }>`
    select reference, amount_cents from transactions t
     where organisation_id = ${tx.organisation} and subscription_id = ${subscription} and renewal and status = 'failed'
       and payment_link_id is null
       and not exists (select from subscription_retries r where r.organisation_id = ${tx.organisation}
         and r.gateway_subscription_id = ${subscription}
         and (r.reference = t.reference or r.missed_reference = t.reference and r.collected_reference is not null))
     order by id desc limit 1`;
  return row ? { reference: row.reference, amount: row.amount_cents } : null;
}

/**
 * Whether a charge of the stored card was pending at `since`, by the machine's clock, or is pending now: a payment of a
 * retry is pending or ended later.
 */
export async function wasBeingRetried(tx: Tx, subscription: GatewaySubscriptionId, since: Instant): Promise<boolean> {
  const rows = await tx.sql`
    select from subscription_retries r join transactions t on t.organisation_id = ${tx.organisation} and t.reference = r.reference
     where r.organisation_id = ${tx.organisation} and r.gateway_subscription_id = ${subscription}
       and (t.status = 'pending' or r.ended_at >= ${since}) limit 1`;
  return rows.length > 0;
}

/** Inserts a retry. */
export function insertRetry(tx: Tx, r: SubscriptionRetry): void {
  tx.queue`
    insert into subscription_retries (organisation_id, id, gateway_subscription_id, missed_reference, payment_link_id,
                                      reference, created_at)
    values (${tx.organisation}, ${r.id}, ${r.subscriptionId}, ${r.missedReference}, ${r.paymentLinkId}, ${r.reference}, ${r.createdAt})`;
}

/** The end of a payment that a retry may have started. */
interface EndedPayment {
  readonly reference: string;
  /** The link through which it was made. */
  readonly link: PaymentLinkId | null;
  readonly collected: boolean;
  /** By the machine's clock. */
  readonly at: Instant;
}

/**
 * Records that a payment has ended, and with it the retry that started it: found by the payment's reference, or by the
 * link through which it was made.
 */
export function endRetry(
  tx: Tx,
  subscription: GatewaySubscriptionId,
  { reference, link, collected, at }: EndedPayment,
): void {
  tx.queue`
    update subscription_retries set ended_at = ${at}, collected_reference = ${collected ? reference : null}
     where organisation_id = ${tx.organisation} and gateway_subscription_id = ${subscription} and collected_reference is null
       and (reference = ${reference} or payment_link_id = ${link})`;
}

/** The links that were mailed for a missed charge, or for a collection without one, and were not paid; newest first. */
export async function openRetryLinks(
  tx: Tx,
  subscription: GatewaySubscriptionId,
  missedReference: string | null,
): Promise<PaymentLinkId[]> {
  const rows = await tx.sql<{ payment_link_id: PaymentLinkId }>`
    select payment_link_id from subscription_retries
     where organisation_id = ${tx.organisation} and gateway_subscription_id = ${subscription} and collected_reference is null
       and payment_link_id is not null and missed_reference is not distinct from ${missedReference}
     order by id desc`;
  return rows.map(({ payment_link_id }) => payment_link_id);
}

/** The handles of subscriptions, for `secrets rotate`. */
export const SEALED_HANDLES: SealedColumn = {
  column: "gateway_subscriptions.handle_sealed",
  sealedFor: HANDLE_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, handle_sealed as sealed from gateway_subscriptions
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(handle_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update gateway_subscriptions set handle_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and handle_sealed = ${before}`,
};

/** The tokens of the cards that pay subscriptions, for `secrets rotate`. */
export const SEALED_SUBSCRIPTION_CARDS: SealedColumn = {
  column: "gateway_subscriptions.card_token_sealed",
  sealedFor: CARD_TOKEN_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, card_token_sealed as sealed from gateway_subscriptions
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(card_token_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update gateway_subscriptions set card_token_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and card_token_sealed = ${before}`,
};
