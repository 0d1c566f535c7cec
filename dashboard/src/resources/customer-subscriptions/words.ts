import type { Shape } from "../../api/client.ts";

type Subscription = Shape<"CustomerSubscription">;

/** How a subscription is collected, in words. */
export const COLLECTIONS: Readonly<Record<Subscription["collectionMethod"], string>> = {
  gateway: "By card",
  debit_order: "By debit order",
  invoice: "By invoice",
  manual: "By hand",
  external: "Billed elsewhere",
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

/** A saved card in words. Its gateway may not report which card it is. */
export const cardWords = ({ brand, last4 }: NonNullable<Subscription["card"]>): string => {
  const network = brand === "card" ? "card" : `${brand} card`;
  return last4 === "" ? `${network} kept by the gateway` : `${network} that ends with ${last4}`;
};

/** Whether it has ended. */
export const hasEnded = ({ status }: Subscription): boolean => status === "cancelled" || status === "expired";
