// Writes: customer_entitlements. Reads: customer_subscriptions, customer_subscription_bills.

import { joinPlan } from "../../../domain/joins.ts";
import { locking } from "../../../domain/locks.ts";
import type { CustomerEntitlementsRow } from "../../../domain/rows.ts";
import type { CustomerId, CustomerSubscriptionId, PlanId } from "../../../kernel/ids.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { Entitling, PlanFeature } from "../rules/entitlements.ts";
import { pastDue } from "./subscriptions.ts";

/**
 * The active and trialing subscriptions of customers whose plans have features, oldest first, by customer. One that is
 * past due, or that another platform bills, entitles to nothing.
 */
export async function entitlingSubscriptions(
  tx: Tx,
  customers: readonly CustomerId[],
  today: CalendarDay,
): Promise<ReadonlyMap<CustomerId, readonly Entitling[]>> {
  const rows = await tx.sql<{
    customer_id: CustomerId;
    id: CustomerSubscriptionId;
    plan_id: PlanId;
    features: PlanFeature[];
  }>`
    select s.customer_id, s.id, s.plan_id, p.features from customer_subscriptions s
      ${joinPlan(tx, part`s.plan_id`)} and p.features <> '[]'
     where s.organisation_id = ${tx.organisation} and s.customer_id = any (${customers})
       and s.status in ('active', 'trialing') and s.collection_method <> 'external' and not ${pastDue(tx, today)}
     order by s.id`;
  const found = rows.map(({ customer_id, id, plan_id, features }) => ({
    customer: customer_id,
    subscriptionId: id,
    planId: plan_id,
    features,
  }));
  return Map.groupBy(found, ({ customer }) => customer);
}

/**
 * The customers of subscriptions, or of their invoices, whom a change may concern: their plan has features, or they
 * were told of entitlements before.
 */
export async function customersToEntitle(tx: Tx, subjects: readonly string[]): Promise<readonly CustomerId[]> {
  const rows = await tx.sql<{ customer_id: CustomerId }>`
    select distinct s.customer_id from customer_subscriptions s ${joinPlan(tx, part`s.plan_id`)}
     where s.organisation_id = ${tx.organisation}
       and s.id in (select unnest(${subjects}::text[]) union all
                    select b.customer_subscription_id from customer_subscription_bills b
                     where b.organisation_id = ${tx.organisation} and b.invoice_id = any (${subjects}))
       and (p.features <> '[]' or exists (select from customer_entitlements e
             where e.organisation_id = ${tx.organisation} and e.customer_id = s.customer_id))`;
  return rows.map(({ customer_id }) => customer_id);
}

/** The customers with a running subscription to a plan. */
export async function customersOfPlan(tx: Tx, plan: PlanId): Promise<readonly CustomerId[]> {
  const rows = await tx.sql<{ customer_id: CustomerId }>`
    select distinct s.customer_id from customer_subscriptions s
     where s.organisation_id = ${tx.organisation} and s.plan_id = ${plan} and s.status in ('active', 'trialing')`;
  return rows.map(({ customer_id }) => customer_id);
}

/** What a customer was told last, in the order of the keys. */
export interface Told {
  readonly customer: CustomerId;
  readonly entitlements: readonly PlanFeature[];
}

/** Locks what these customers were told until the transaction ends, in the order of their ids; nothing yet is an empty list. */
export async function lockTold(tx: Tx, customers: readonly string[]): Promise<ReadonlyMap<string, Told>> {
  const sorted = customers.toSorted();
  tx.queue`
    insert into customer_entitlements (organisation_id, customer_id)
    select ${tx.organisation}, c.id from unnest(${sorted}::text[]) c(id)
    on conflict do nothing returning customer_id`;
  const rows = await locking(tx, "customer entitlements").sql<CustomerEntitlementsRow>`
    select * from customer_entitlements
     where organisation_id = ${tx.organisation} and customer_id = any (${sorted}) order by customer_id for update`;
  return new Map(
    rows.map(({ customer_id, entitlements }) => [
      customer_id as string,
      { customer: customer_id, entitlements: entitlements as PlanFeature[] },
    ]),
  );
}

/** Stores what customers are told. The caller has locked it. */
export function saveTold(tx: Tx, told: readonly Told[]): void {
  tx.queue`
    update customer_entitlements e set entitlements = n.entitlements
      from unnest(${told.map(({ customer }) => customer)}::text[],
                  ${told.map(({ entitlements }) => JSON.stringify(entitlements))}::jsonb[]) as n(customer_id, entitlements)
     where e.organisation_id = ${tx.organisation} and e.customer_id = n.customer_id`;
}
