import type { Resource } from "../../components/resource.ts";

/** Months of the books, and closing them (interface 18.3). */
export const accountingMonths: Resource = {
  name: "accounting/months",
  label: "Month end",
  group: "Reports",
  permission: "accounting:read",
  routes: [
    { path: "/", load: () => import("./months.tsx") },
    { path: "/$month", load: () => import("./month.tsx") },
  ],
};

/** The VAT201 return (interface 18.4), by month. */
export const vatReturn: Resource = {
  name: "accounting/vat-return",
  label: "VAT return",
  group: "Reports",
  permission: "accounting:read",
  routes: [{ path: "/", load: () => import("./vat.tsx") }],
};

/** The names of ledger accounts and VAT in accounting software, and the files that it imports (interface 18.8). */
export const accountingSoftware: Resource = {
  name: "accounting/software",
  label: "Export to accounting",
  group: "Reports",
  permission: "accounting:read",
  routes: [
    { path: "/", load: () => import("./software.tsx") },
    { path: "/$id", permission: "accounting:write", load: () => import("./software-form.tsx") },
  ],
};

/** What customers owe, by days past due (interface 18.5). */
export const agedDebtors: Resource = {
  name: "accounting/aged-debtors",
  label: "Aged debtors",
  group: "Reports",
  permission: "invoices:read",
  also: ["customers:read"],
  routes: [{ path: "/", load: () => import("./aged-debtors.tsx") }],
};

/** Links for signing up with accounting partners (interface 4.13). */
export const referralLinks: Resource = {
  name: "accounting/referral-links",
  label: "Partner links",
  group: "Settings",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./referral-links.tsx") }],
};
