import { cents } from "../../src/kernel/money.ts";
import { type CalendarDay, instant } from "../../src/kernel/time.ts";
import type { CheckoutPageModel, OfferModel } from "../../src/templates/pages/checkout.ts";
import type { CheckoutResultModel } from "../../src/templates/pages/checkout-result.ts";
import { brand, currency, ozow, payfast, reference, title } from "./page-models.ts";

const monthly = {
  id: "plan_1",
  name: "Gold, monthly",
  currency,
  lines: [
    { description: "Gold, monthly", details: null, amount: cents(8_900) },
    { description: "Setting up", details: null, amount: cents(50_000) },
  ],
  discount: cents(1_000),
  taxRate: "15",
  taxInclusive: false,
  tax: cents(8_835),
  total: cents(67_735),
  trialEnd: null,
  later: {
    charges: [
      { on: "2026-12-20" as CalendarDay, total: cents(10_235), times: 2, frequency: "monthly" },
      { on: "2027-02-20" as CalendarDay, total: cents(11_385), times: 9, frequency: "monthly" },
    ],
  },
} satisfies OfferModel;

const trial = {
  ...monthly,
  id: "plan_2",
  name: "Gold, yearly",
  lines: [],
  discount: cents(0),
  tax: cents(0),
  total: cents(0),
  trialEnd: "2026-12-03" as CalendarDay,
  later: {
    charges: [{ on: "2026-12-04" as CalendarDay, total: cents(100_000), times: null, frequency: "annually" }],
  },
} satisfies OfferModel;

/** A product that is paid once, with nothing that the merchant has chosen. */
export const productModel: CheckoutPageModel = {
  brand,
  look: { template: "classic", headline: null, subheadline: null, footer: null, payButtonText: null, trustBadges: [] },
  title,
  description: "Delivered within a week.",
  offers: [{ ...monthly, id: "prod_1", name: title, discount: cents(0), later: null }],
  chosenOffer: "prod_1",
  hasPlans: false,
  elsewhere: [],
  fields: [
    { name: "email", value: "", required: true, error: null },
    { name: "firstName", value: "", required: true, error: null },
    { name: "lastName", value: "", required: false, error: null },
  ],
  coupon: null,
  gateways: [payfast],
  chosenGateway: null,
  terms: null,
  savedCards: [],
  chosenCard: null,
  underWay: null,
  portal: { url: "/portal/karoo", ends: true },
  session: "session-token",
  formToken: "token",
  problems: [],
};

/** A package with two plans and all that a merchant can ask for, after a submission with faults. */
export const packageModel: CheckoutPageModel = {
  ...productModel,
  look: {
    template: "classic",
    headline: "Join the reading circle",
    subheadline: "A parcel of books at your door",
    footer: "Karoo Books, Graaff-Reinet\nSince 1998",
    payButtonText: "Join now",
    trustBadges: ["Free delivery", "Cancel at any time"],
  },
  title: "Reading circle",
  offers: [monthly, trial],
  chosenOffer: "plan_1",
  hasPlans: true,
  elsewhere: [
    { name: "Libraries", url: "mailto:help@karoo.example" },
    { name: "Schools", url: "https://karoo.example/schools" },
    { name: "Others", url: null },
  ],
  fields: [
    { name: "email", value: "thandi@example.co.za", required: true, error: null, isFixed: true },
    { name: "firstName", value: "", required: true, error: "Write your first name." },
    { name: "lastName", value: "Nkosi", required: false, error: null },
    { name: "phone", value: "", required: true, error: "Write your phone number." },
    { name: "company", value: "", required: false, error: null },
    { name: "address", value: "", required: false, error: null },
    { name: "vatNumber", value: "", required: false, error: null },
  ],
  coupon: { value: "TEN", applied: "TEN", error: null },
  gateways: [payfast, ozow],
  terms: { url: "https://karoo.example/terms", ticked: false, error: "Agree to the terms to go on." },
  problems: ["Choose how to pay."],
};

/** Only a trial, with a coupon that is not valid. */
export const trialModel: CheckoutPageModel = {
  ...packageModel,
  look: { ...packageModel.look, template: "split", payButtonText: null },
  offers: [trial],
  chosenOffer: "plan_2",
  coupon: { value: "NONE", applied: null, error: "This coupon is not valid." },
  gateways: [],
  terms: null,
  problems: [],
};

/** A checkout that was paid. */
export const checkoutResultModel: CheckoutResultModel = {
  brand,
  outcome: "complete",
  confirmedBy: "gateway",
  title,
  payment: { reference, amount: cents(12_345_67), currency, paidAt: instant("2026-11-20T12:05:00Z") },
  message: null,
  buttonText: null,
  retry: null,
  onward: null,
  portalUrl: "/portal/karoo",
};
