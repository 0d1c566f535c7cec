import { toRand } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";
import type { Hit, SearchedKind } from "./types.ts";

/** Paths of records of each kind, below `/dashboard/api`. */
const PATHS: Readonly<Record<SearchedKind, (hit: Hit) => string>> = {
  customer: ({ id }) => `/customers/${id}`,
  invoice: ({ id }) => `/invoices/${id}`,
  quote: ({ id }) => `/quotes/${id}`,
  credit_note: ({ id }) => `/credit-notes/${id}`,
  transaction: ({ title }) => `/transactions/${encodeURIComponent(title)}`,
  refund: ({ id }) => `/transactions/${encodeURIComponent(id)}`,
  payment_link: ({ id }) => `/payment-links/${id}`,
  eft_order: ({ id }) => `/eft-orders/${id}`,
  mandate: ({ id }) => `/mandates/${id}`,
  customer_subscription: ({ id }) => `/customer-subscriptions/${id}`,
  subscription: ({ id }) => `/subscriptions/${id}`,
};

/** A found record as the API shows it. */
export const hitView = (kind: SearchedKind, hit: Hit) => ({
  id: hit.id,
  title: hit.title,
  detail: hit.detail,
  status: hit.status,
  amount: hit.amount === null ? null : toRand(hit.amount),
  currency: hit.currency,
  date: hit.at instanceof Date ? businessDay(hit.at) : hit.at,
  path: PATHS[kind](hit),
});
