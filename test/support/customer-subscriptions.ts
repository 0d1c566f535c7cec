import assert from "node:assert/strict";
import type { ApiMerchant, StaffCall, TestApi } from "./api.ts";

/** A subscription, as the API answers it. */
export interface ShownSubscription extends Record<string, unknown> {
  readonly id: string;
  readonly status: string;
}

/** The answer to an action, or its refusal. */
export interface SubscriptionAnswer {
  readonly status: number;
  readonly body: ShownSubscription & { readonly error?: string; readonly issues?: { path: unknown[] }[] };
}

/** Some fields of a subscription. */
export const shownOf = (of: ShownSubscription, ...names: string[]): unknown[] => names.map((name) => of[name]);

/**
 * A sandbox organisation whose clock stands at 10:00 South African time of 31 January 2027, with a customer and a
 * package. Its invoices are due after a year, so that none unintentionally makes a subscription past due.
 */
export interface SubscriptionShop {
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  readonly staff: StaffCall;
  readonly customer: string;
  readonly packageId: string;
  /** Adds a plan of 100.00 a month with 15 % VAT on top; answers its id. */
  addPlan(fields?: object): Promise<string>;
  /** Moves the clock to 00:00 South African time of a day, or to an instant, and runs what falls due. */
  move(to: string): Promise<void>;
  /** Creates an `invoice` subscription. */
  subscribe(fields: object): Promise<ShownSubscription>;
  now(id: string): Promise<ShownSubscription>;
  /** Newest first. */
  invoices(id: string): Promise<Record<string, unknown>[]>;
  /** Posts to an action of the subscription, such as `pause`. */
  act(id: string, action: string, body?: object): Promise<SubscriptionAnswer>;
  patch(id: string, body: object): Promise<SubscriptionAnswer>;
  /** First and last day and total of each invoice, oldest first. */
  periods(id: string): Promise<unknown[][]>;
  /** The types of the subscription's events without `subscription.`, oldest first. */
  told(id: string): Promise<string[]>;
  /** The types and data of the subscription's events, oldest first. */
  events(id: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
}

/** Opens such a shop. */
export async function openSubscriptionShop(api: TestApi): Promise<SubscriptionShop> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-01-31T08:00:00.000Z") as never });
  const staff = await shop.signIn("owner");
  await staff("PATCH", "/settings", { dueDays: 365 });
  const made = async (path: string, body: object) => {
    const answer = await shop.post<{ id: string }>(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const customer = await made("/customers", {
    email: "thandi@example.co.za",
    firstName: "Thandi",
    externalReference: "T1",
  });
  const packageId = await made("/packages", { name: "Hosting" });
  const invoices = async (id: string) =>
    (await shop.get<{ data: Record<string, unknown>[] }>(`/customer-subscriptions/${id}/invoices?limit=100`)).body.data;
  const events = (id: string) =>
    api.query<{ type: string; data: Record<string, unknown> }>(
      "select type, data from events where organisation_id = $1 and subject = $2 order by id",
      shop.organisation.id,
      id,
    );
  return {
    api,
    shop,
    staff,
    customer,
    packageId,
    addPlan: (fields = {}) =>
      made(`/packages/${packageId}/plans`, { name: "Gold", amount: 100, frequency: "monthly", taxRate: 15, ...fields }),
    async move(to) {
      const now = to.includes("T") ? to : new Date(`${to}T00:00:00+02:00`).toISOString();
      const answer = await staff("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
    },
    async subscribe(fields) {
      const body = { customer: { id: customer }, collectionMethod: "invoice", ...fields };
      const answer = await shop.post<ShownSubscription>("/customer-subscriptions", body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    now: async (id) => (await shop.get<ShownSubscription>(`/customer-subscriptions/${id}`)).body,
    act: (id, action, body) => shop.post(`/customer-subscriptions/${id}/${action}`, body),
    patch: (id, body) => shop.call("PATCH", `/customer-subscriptions/${id}`, { body }),
    periods: async (id) =>
      (await invoices(id)).toReversed().map(({ periodStart, periodEnd, total }) => [periodStart, periodEnd, total]),
    told: async (id) => (await events(id)).map(({ type }) => type.replace("subscription.", "")),
    invoices,
    events,
  };
}
