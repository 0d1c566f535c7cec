import { PAYER_PAGES } from "../flows/search/payer-page.ts";
import { couponEndpoints } from "../http/resources/coupons.ts";
import { packageEndpoints } from "../http/resources/packages.ts";
import { productEndpoints } from "../http/resources/products.ts";
import { couponExaminations } from "../modules/coupons/verify.ts";
import { packageExaminations } from "../modules/packages/verify.ts";
import { NAMES } from "../modules/search/store/record-names.ts";
import { RELATED } from "../modules/search/store/related-records.ts";
import { CUSTOMER_SUBSCRIPTIONS } from "./customer-subscriptions.ts";
import type { Resource } from "./merged.ts";

/** Products, packages and coupons, and subscriptions to them. */
export const SOLD: readonly Resource[] = [
  {
    endpoints: productEndpoints,
    records: [
      {
        prefix: "prod",
        noun: "product",
        permission: "products:read",
        path: "/products",
        names: NAMES.prod,
        payerPage: PAYER_PAGES.prod,
      },
    ],
  },
  {
    endpoints: packageEndpoints,
    examinations: packageExaminations,
    records: [
      {
        prefix: "pkg",
        noun: "package",
        permission: "packages:read",
        path: "/packages",
        names: NAMES.pkg,
        payerPage: PAYER_PAGES.pkg,
      },
      { prefix: "plan", permission: "packages:read", path: "/packages", names: NAMES.plan },
    ],
  },
  {
    endpoints: couponEndpoints,
    examinations: couponExaminations,
    records: [
      {
        prefix: "cpn",
        noun: "coupon",
        permission: "coupons:read",
        path: "/coupons",
        names: NAMES.cpn,
        related: RELATED.cpn,
      },
    ],
  },
  ...CUSTOMER_SUBSCRIPTIONS,
];
