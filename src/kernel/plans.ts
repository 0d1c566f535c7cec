/** Features of interface 1.2, in the words the API uses for them. */
export const FEATURES = {
  rest_api: "REST API",
  invoicing: "Invoicing",
  payment_links: "Payment links",
  debit_orders: "Debit orders",
  recurring_card_billing: "Recurring card billing",
  coupons: "Coupons",
  reconciliation: "Reconciliation",
} as const;
export type Feature = keyof typeof FEATURES;

export type PlanName = "starter" | "growth" | "business" | "enterprise";

/** Quotas a plan can carry; null is no quota. */
export interface Quotas {
  readonly customers: number | null;
  readonly activeMandates: number | null;
  readonly monthlyTransactions: number | null;
}
export type QuotaName = keyof Quotas;

export interface Plan {
  readonly name: PlanName;
  readonly features: readonly Feature[];
  readonly quotas: Quotas;
}

const GROWTH: readonly Feature[] = [
  "rest_api",
  "invoicing",
  "payment_links",
  "debit_orders",
  "recurring_card_billing",
  "coupons",
];

/** Features and quotas per plan (interface 12.2). An organisation's own limits replace a quota. */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  starter: {
    name: "starter",
    features: ["invoicing", "payment_links"],
    quotas: { customers: 100, activeMandates: 0, monthlyTransactions: 200 },
  },
  growth: {
    name: "growth",
    features: GROWTH,
    quotas: { customers: 2_000, activeMandates: 500, monthlyTransactions: 5_000 },
  },
  business: {
    name: "business",
    features: [...GROWTH, "reconciliation"],
    quotas: { customers: 20_000, activeMandates: 5_000, monthlyTransactions: 50_000 },
  },
  enterprise: {
    name: "enterprise",
    features: [...GROWTH, "reconciliation"],
    quotas: { customers: null, activeMandates: null, monthlyTransactions: null },
  },
};

/** For names that come from outside. */
export const isPlanName = (text: string): text is PlanName => Object.hasOwn(PLANS, text);
