import { cents } from "../../src/kernel/money.ts";
import { instant } from "../../src/kernel/time.ts";
import type { CardSetupPageModel, CardSetupResultModel } from "../../src/templates/pages/card-setup.ts";
import type { PayCardPageModel } from "../../src/templates/pages/pay-card.ts";
import type { PortalCard, PortalCardsModel } from "../../src/templates/pages/portal-cards.ts";
import { brand, currency, ozow, payfast, reference, title } from "./page-models.ts";

/** A set-up page with two gateways. */
export const cardSetupModel = {
  brand,
  amount: cents(100),
  currency,
  expiresAt: instant("2026-11-21T12:05:00Z"),
  failure: null,
  gateways: [payfast, ozow],
  chosenGateway: null,
  fields: [],
  formToken: "token",
  problems: [],
} satisfies CardSetupPageModel;
/** The result of an attempt to add a card. */
export const cardResultModel = {
  brand,
  amount: cents(100),
  currency,
  card: { brand: "visa", last4: "4242", createdAt: instant("2027-03-01T10:00:00Z") },
  reference,
  retryUrl: "/card/token",
} satisfies Omit<CardSetupResultModel, "outcome">;

const savedCard = {
  id: "card_1",
  brand: "visa",
  last4: "4242",
  expiryMonth: 8,
  expiryYear: 2029,
  isDefault: true,
  status: "active",
  createdAt: instant("2027-03-01T10:00:00Z"),
} satisfies PortalCard;
/** A customer with a card of each kind. */
export const portalCardsModel = {
  brand,
  cards: [
    savedCard,
    { ...savedCard, id: "card_2", brand: "mastercard", last4: "4444", isDefault: false },
    { ...savedCard, id: "card_3", brand: "card", last4: "0005", isDefault: false, status: "expired" },
    {
      ...savedCard,
      id: "card_4",
      brand: "amex",
      expiryMonth: null,
      expiryYear: null,
      isDefault: false,
      status: "failed",
    },
    { ...savedCard, id: "card_5", brand: "card", last4: "", expiryMonth: null, expiryYear: null, isDefault: false },
  ],
  canAdd: true,
  canChange: true,
  homePath: "/portal/karoo",
  formToken: "token",
  problems: [],
} satisfies PortalCardsModel;
/** The confirmation of a payment by saved card. */
export const payCardModel = {
  brand,
  title,
  amount: cents(123450),
  currency,
  card: "Visa ending in 4242",
  terms: null,
  back: "/pay/token",
  formToken: "token",
  problems: [],
} satisfies PayCardPageModel;
