import type { Shape } from "../../api/client.ts";

type Subscription = Shape<"CustomerSubscription">;

/** How a subscription is collected, in words. */
export const COLLECTIONS: Readonly<Record<Subscription["collectionMethod"], string>> = {
  gateway: "By card",
  debit_order: "By debit order",
  invoice: "By invoice",
  manual: "By hand",
  external: "By another platform",
};

/** The lists that change with a subscription. */
export const TOUCHES = [
  "/customer-subscriptions",
  "/invoices",
  "/customers",
  "/transactions",
  "/timeline",
  "/audit-log",
];

/** Whether it has ended. */
export const hasEnded = ({ status }: Subscription): boolean => status === "cancelled" || status === "expired";
