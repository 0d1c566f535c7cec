/** Prefix of every address of the web app. */
export const BASE = "/dashboard";

/** Address of a record's page, or of the list without an id. */
export const pathTo = (resource: string, id?: string): string =>
  id === undefined ? `/${resource}` : `/${resource}/${encodeURIComponent(id)}`;

const KINDS: Readonly<Record<string, string>> = {
  cus: "customers",
  inv: "invoices",
  quo: "quotes",
  cn: "credit-notes",
  plink: "payment-links",
  eft: "eft-orders",
  man: "mandates",
  dbat: "debit-batches",
  dsp: "disputes",
  csub: "customer-subscriptions",
  gsub: "subscriptions",
  chk: "checkout-sessions",
  pkg: "packages",
  cpn: "coupons",
  prod: "products",
  evt: "events",
  mail: "emails",
  msg: "messages",
  we: "webhook-endpoints",
  whd: "webhook-deliveries",
  req: "request-log",
  gw: "gateways",
  rci: "reconciliation/items",
  rcn: "reconciliation/runs",
  role: "roles",
};

/** Address of the page of the record with this id; null when its kind has none. */
export function pathOfId(id: string): string | null {
  const kind = KINDS[id.slice(0, Math.max(0, id.indexOf("_")))];
  if (kind) return pathTo(kind, id);
  return /^(TEFOC?-|PAY-|EFT-|DO[0-9A-F]{10}-)/.test(id) ? pathTo("transactions", id) : null;
}
