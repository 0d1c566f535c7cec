import { decimalOf } from "../../src/kernel/decimal.ts";
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

const lineOf = (description: string, amount: number) => ({
  description,
  details: null,
  quantity: decimalOf("1"),
  unitPrice: decimalOf(String(amount / 100)),
  taxRate: decimalOf("15"),
  amount: cents(amount),
  tax: cents(Math.trunc(amount * 0.15)),
  periodStart: day("2027-02-28"),
  periodEnd: day("2027-03-27"),
});

const next = {
  day: day("2027-02-28"),
  lines: [
    lineOf("Gold", 10000),
    { ...lineOf("Backups", 1500), quantity: decimalOf("3"), unitPrice: decimalOf("5") },
    { ...lineOf("Extra seats", 1000), details: "3 × R 5.00: R 15.00; less credit, Outage: R 5.00." },
  ],
  tax: cents(1875),
  total: cents(14375),
  taxInclusive: false,
};

/** A running subscription with everything that a customer may do. */
export const portalSubscriptionModel = {
  ...common,
  standing: "Active",
  charges: [
    { on: day("2027-01-01"), total: cents(12_000), times: 3, frequency: "monthly" },
    { on: day("2027-04-01"), total: cents(14_950), times: null, frequency: "monthly" },
  ] as const,
  quantity: 2,
  items: ["Extra seats"],
  paidBy: "By Visa ending in 4242",
  next,
  lastPaidDay: day("2027-02-27"),
  pending: null,
  may: { change: true, addOns: true, pause: true, resume: false, cancel: true, undo: false, card: true },
  addOns: [
    { id: "prod_1", name: "Extra seats", price: "R 10.00 every month, plus VAT", quantity: "3" },
    {
      id: "prod_2",
      name: "A backup of everything, each night",
      price: "R 1 250.00 every month, plus VAT",
      quantity: null,
    },
  ],
  cards: [
    { id: "card_1", label: "Visa ending in 4242", isCharged: true },
    { id: "card_2", label: "Mastercard ending in 4444", isCharged: false },
  ],
  cardsPath: "/portal/karoo/cards",
  debitOrdersPath: null,
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
  heading: "Change to Platinum",
  sentence: "From Gold to Platinum, from 14 February 2027.",
  button: "Change the plan",
  paidNow: "is charged to your Visa ending in 4242 now",
  note: "Nothing was charged yet, so there is nothing to prorate.",
  now: {
    ...next,
    lines: [lineOf("Platinum in place of Gold (16 of 31 days)", 5161)],
  },
  credit: cents(1200),
  next,
  fields: { plan: "plan_2" },
  seal: "plv_1 5935 14375",
  backPath: "/portal/karoo/subscriptions/csub_1",
};

/** A row of the home page. */
export const homeSubscription = {
  planName: "Gold",
  standing: "Ends after 28 February 2027",
  currency,
  charges: portalSubscriptionModel.charges,
  path: "/portal/karoo/subscriptions/csub_1",
};

/** A mandate that waits for its customer's signature, and one that is collected. */
export const portalMandatesModel = {
  brand,
  mandates: [
    {
      id: "man_1",
      description: "Gold",
      accountReference: "KAROO-8F2A",
      amount: cents(14950),
      currency,
      frequency: "monthly" as const,
      bank: "Capitec",
      accountNumberLast4: "1234",
      stage: "awaiting_signature" as const,
      nextDebitDate: day("2027-02-25"),
      lastDebitDate: null,
      maySign: true,
      bankUrl: null,
    },
    {
      id: "man_2",
      description: "A levy with a long name that needs two lines on a phone",
      accountReference: "KAROO-91BC",
      amount: cents(125000),
      currency,
      frequency: "quarterly" as const,
      bank: null,
      accountNumberLast4: "0007",
      stage: "active" as const,
      nextDebitDate: day("2027-03-01"),
      lastDebitDate: day("2026-12-01"),
      maySign: false,
      bankUrl: null,
    },
  ],
  homePath: "/portal/karoo",
  formToken: "token",
  problems: [],
};
