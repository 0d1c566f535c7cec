import assert from "node:assert/strict";
import type { Answer, TestApi } from "./api.ts";
import { openSubscriptionShop, type ShownSubscription, type SubscriptionShop } from "./customer-subscriptions.ts";

/** An answer about an external subscription: the subscription, a dry run, or a refusal. */
export type ExternalAnswer = Answer<
  ShownSubscription & {
    readonly error?: string;
    readonly issues?: readonly { readonly path: readonly unknown[] }[];
    readonly subscription?: Readonly<Record<string, unknown>>;
  }
>;

/**
 * A shop whose package and plan are disabled, as for an import; the plan `gold` costs 100.00 a month and 15 % VAT. Its
 * clock stands at 31 January 2027.
 */
export interface ExternalShop extends SubscriptionShop {
  readonly planId: string;
  /** A create with `collectionMethod` external; fields replace those of an active one that is paid until 15 February. */
  create(fields?: object): Promise<ExternalAnswer>;
  /** As `create`, of one that must be new. */
  record(fields?: object): Promise<ShownSubscription>;
  sync(id: string, body: object): Promise<ExternalAnswer>;
  /** How many records the organisation has that an external subscription could have caused. */
  traces(): Promise<Record<string, number>>;
}

/** Opens such a shop. */
export async function openExternalShop(api: TestApi): Promise<ExternalShop> {
  const opened = await openSubscriptionShop(api);
  const { shop, staff } = opened;
  const planId = await opened.addPlan({ code: "gold", enabled: false });
  const disabled = await staff("PATCH", `/packages/${opened.packageId}`, { enabled: false });
  assert.equal(disabled.status, 200, disabled.text);
  const create: ExternalShop["create"] = (fields = {}) =>
    shop.post("/customer-subscriptions", {
      customer: { externalReference: "T1" },
      plan: "gold",
      collectionMethod: "external",
      externalReference: "P1",
      paidThrough: "2027-02-15",
      ...fields,
    });
  return {
    ...opened,
    planId,
    create,
    async record(fields = {}) {
      const answer = await create(fields);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    sync: (id, body) => shop.post(`/customer-subscriptions/${id}/sync-period`, body),
    async traces() {
      const [counts] = await api.query<Record<string, number>>(
        `select (select count(*) from customer_subscriptions where organisation_id = $1)::integer as subscriptions,
                (select count(*) from external_periods where organisation_id = $1)::integer as periods,
                (select count(*) from customer_subscription_bills where organisation_id = $1)::integer as bills,
                (select count(*) from invoices where organisation_id = $1)::integer as invoices,
                (select count(*) from emails where organisation_id = $1)::integer as mails,
                (select count(*) from transactions where organisation_id = $1)::integer as payments,
                (select count(*) from events where organisation_id = $1 and type not like 'customer.%')::integer as events,
                (select count(*) from idempotency_keys where organisation_id = $1)::integer as keys`,
        shop.organisation.id,
      );
      return counts ?? {};
    },
  };
}

/** What an external subscription leaves beside itself and its periods: nothing. */
export const NO_TRACES = { bills: 0, invoices: 0, mails: 0, payments: 0, events: 0, keys: 0 };
