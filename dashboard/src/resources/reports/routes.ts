import type { Resource } from "../../components/resource.ts";

/** What was received in any days, by method and gateway (interface 14.4). */
export const paymentReport: Resource = {
  name: "reports/payments",
  label: "Payment report",
  group: "Reports",
  permission: "transactions:read",
  routes: [{ path: "/", load: () => import("./payments.tsx") }],
};

/** How many attempts to pay succeeded, and why the others were declined (interface 14.4). */
export const attemptsReport: Resource = {
  name: "reports/success-rate",
  label: "Success rate",
  group: "Reports",
  permission: "transactions:read",
  routes: [{ path: "/", load: () => import("./attempts.tsx") }],
};

/** How recurring revenue moved, churn, and what became of collections that failed (interface 14.4). */
export const subscriptionReport: Resource = {
  name: "reports/subscriptions",
  label: "Report",
  group: "Subscriptions",
  permission: "subscriptions:read",
  routes: [{ path: "/", load: () => import("./subscriptions.tsx") }],
};

/** How many payment links and checkouts were opened, started and paid (interface 14.4). */
export const conversionReport: Resource = {
  name: "reports/conversion",
  label: "Conversion",
  group: "Payment links",
  permission: "payment_links:read",
  also: ["checkout_sessions:read"],
  feature: "payment_links",
  routes: [{ path: "/", load: () => import("./funnel.tsx") }],
};
