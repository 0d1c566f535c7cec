import { cents } from "../../src/kernel/money.ts";
import { day } from "./customer-subscription.ts";
import { brand, currency } from "./page-models.ts";

const common = {
  brand,
  planName: "Gold",
  currency,
  homePath: "/portal/karoo",
  formToken: "token",
  problems: [],
};

const next = {
  day: day("2027-02-28"),
  lines: [
    { description: "Gold", details: null, amount: cents(10000) },
    { description: "Extra seats", details: "3 at R 10.00, less R 5.00 of credit", amount: cents(2500) },
  ],
  tax: cents(1875),
  total: cents(14375),
  taxInclusive: false,
};

/** A running subscription with everything that a customer may do. */
export const portalSubscriptionModel = {
  ...common,
  standing: "Active",
  price: cents(14950),
  frequency: "monthly" as const,
  quantity: 2,
  items: ["Extra seats"],
  paidBy: "By Visa ending in 4242",
  next,
  lastPaidDay: day("2027-02-27"),
  may: { change: true, pause: true, resume: false, cancel: true, undo: false },
  plans: [
    { id: "plan_1", name: "Silver", amount: cents(5000), frequency: "monthly" as const, taxInclusive: false },
    {
      id: "plan_2",
      name: "Platinum, a year",
      amount: cents(250000),
      frequency: "annually" as const,
      taxInclusive: true,
    },
  ],
  reason: "",
  reasonError: null,
};

/** A change that costs something now. */
export const portalChangeModel = {
  ...common,
  newPlanName: "Platinum",
  note: "Nothing was charged yet, so there is nothing to prorate.",
  now: {
    ...next,
    lines: [{ description: "Platinum in place of Gold (16 of 31 days)", details: null, amount: cents(5161) }],
  },
  credit: cents(1200),
  next,
  plan: "plan_2",
  seal: "plv_1 5935 14375",
  backPath: "/portal/karoo/subscriptions/csub_1",
};

/** A row of the home page. */
export const homeSubscription = {
  planName: "Gold",
  standing: "Ends after 28 February 2027",
  amount: cents(11500),
  currency,
  frequency: "monthly" as const,
  path: "/portal/karoo/subscriptions/csub_1",
};
