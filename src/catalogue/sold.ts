import { packagePage, productPage } from "../flows/checkout/session-object.ts";
import { couponEndpoints } from "../http/resources/coupons.ts";
import { packageEndpoints } from "../http/resources/packages.ts";
import { productEndpoints } from "../http/resources/products.ts";
import { COUPON_RECORD } from "../modules/coupons/record.ts";
import { couponExaminations } from "../modules/coupons/verify.ts";
import { PACKAGE_RECORD } from "../modules/packages/record.ts";
import { packageExaminations } from "../modules/packages/verify.ts";
import { PRODUCT_RECORD } from "../modules/products/record.ts";
import { CUSTOMER_SUBSCRIPTIONS } from "./customer-subscriptions.ts";
import type { Resource } from "./merged.ts";

/** Products, packages and coupons, and subscriptions to them. */
export const SOLD: readonly Resource[] = [
  {
    endpoints: productEndpoints,
    record: PRODUCT_RECORD,
    payerPage: productPage,
  },
  {
    endpoints: packageEndpoints,
    examinations: packageExaminations,
    record: PACKAGE_RECORD,
    payerPage: packagePage,
  },
  {
    endpoints: couponEndpoints,
    examinations: couponExaminations,
    record: COUPON_RECORD,
  },
  ...CUSTOMER_SUBSCRIPTIONS,
];
