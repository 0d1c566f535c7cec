import { checkCharge } from "../flows/card-charges/charge-stored-card.ts";
import { cardChargePurpose } from "../flows/card-charges/payment-purpose.ts";
import { expireCardSetup } from "../flows/card-setups/expire-card-setup.ts";
import { cardSetupPurpose } from "../flows/card-setups/payment-purpose.ts";
import { checkoutCardPurpose } from "../flows/cards/payment-purpose.ts";
import { applyCardFact } from "../flows/cards/renew-card.ts";
import { NEW_DEFAULT_CARD } from "../flows/cards/save-card.ts";
import { announceExpiring, expireCard, lockCard } from "../flows/cards/schedule-expiry.ts";
import { expireCheckoutSession } from "../flows/checkout/expire-session.ts";
import { lockHeldCoupon, releaseHeldCoupon } from "../flows/checkout/held-coupon.ts";
import { endOtherSubscriptions } from "../flows/checkout/other-subscriptions.ts";
import { checkoutPurpose } from "../flows/checkout/payment-purpose.ts";
import { sessionPage } from "../flows/checkout/session-object.ts";
import { WELCOME_MAIL } from "../flows/checkout/welcome-mail.ts";
import { collectInvoice } from "../flows/dunning/collect-invoice.ts";
import { MISSED_COLLECTION_MAIL } from "../flows/dunning/missed-collection-mail.ts";
import { askForNewCard, tryNewCard } from "../flows/dunning/try-new-card.ts";
import { EFT_DETAILS_MAIL, EFT_REJECTED_MAIL, EFT_REMINDER_MAIL } from "../flows/eft-orders/eft-mails.ts";
import { eftPage } from "../flows/eft-orders/eft-order-object.ts";
import { expireEftOrder, remindOfEftOrder } from "../flows/eft-orders/expiry-and-reminder.ts";
import { eftOrderPurpose } from "../flows/eft-orders/payment-purpose.ts";
import { chargeDueInvoice, findDueInvoices, lockForDueInvoices } from "../flows/invoices/charge-due-invoices.ts";
import { CARD_FACTS } from "../flows/payments/apply-facts.ts";
import { CHARGE_CHECK } from "../flows/payments/check-payment.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import { registerCardPages } from "../http/pages/card/routes.ts";
import { registerCheckoutPages } from "../http/pages/checkout/routes.ts";
import { registerEftPages } from "../http/pages/eft/routes.ts";
import { cardChargeEndpoints } from "../http/resources/card-charges.ts";
import { cardSetupEndpoints } from "../http/resources/card-setups.ts";
import { cardEndpoints } from "../http/resources/cards.ts";
import { checkoutPageEndpoints } from "../http/resources/checkout-pages.ts";
import { checkoutSessionEndpoints } from "../http/resources/checkout-sessions.ts";
import { dunningEndpoints } from "../http/resources/dunning.ts";
import { eftOrderEndpoints } from "../http/resources/eft-orders.ts";
import * as cardCharges from "../modules/card-charges/declarations.ts";
import { CARD_CHARGE_RECORD } from "../modules/card-charges/record.ts";
import { cardChargeExaminations } from "../modules/card-charges/verify.ts";
import * as cardSetups from "../modules/card-setups/declarations.ts";
import { CARD_SETUP_RECORD } from "../modules/card-setups/record.ts";
import { lockCardSetup } from "../modules/card-setups/store.ts";
import { cardSetupExaminations } from "../modules/card-setups/verify.ts";
import * as cards from "../modules/cards/declarations.ts";
import { CARD_RECORD } from "../modules/cards/record.ts";
import { SEALED_CARD_TOKENS } from "../modules/cards/store.ts";
import { cardExaminations } from "../modules/cards/verify.ts";
import { CHECKOUT_PAGE_RECORD } from "../modules/checkout-pages/record.ts";
import * as checkoutSessions from "../modules/checkout-sessions/declarations.ts";
import { CHECKOUT_SESSION_RECORD } from "../modules/checkout-sessions/record.ts";
import { lockCheckoutSession } from "../modules/checkout-sessions/store.ts";
import { checkoutSessionExaminations } from "../modules/checkout-sessions/verify.ts";
import * as dunning from "../modules/dunning/declarations.ts";
import { DUNNING_RECORD } from "../modules/dunning/record.ts";
import { dunningExaminations } from "../modules/dunning/verify.ts";
import * as eftOrders from "../modules/eft-orders/declarations.ts";
import { EFT_ORDER_RECORD } from "../modules/eft-orders/record.ts";
import { lockEftOrder } from "../modules/eft-orders/store.ts";
import { eftOrderExaminations } from "../modules/eft-orders/verify.ts";
import { acting, asking } from "../worker/handlers.ts";
import { DEBIT_ORDERS } from "./debit-orders.ts";
import type { Resource } from "./merged.ts";

/** Ways in which customers pay: transfers, cards, checkouts, debit orders. */
export const WAYS_TO_PAY: readonly Resource[] = [
  {
    declared: eftOrders,
    work: [
      acting(eftOrders.EFT_EXPIRE, lockEftOrder, expireEftOrder),
      acting(eftOrders.EFT_REMIND, lockEftOrder, remindOfEftOrder),
    ],
    extensions: [PURPOSES.with(eftOrderPurpose)],
    mails: [EFT_DETAILS_MAIL, EFT_REMINDER_MAIL, EFT_REJECTED_MAIL],
    endpoints: eftOrderEndpoints,
    pages: registerEftPages,
    examinations: eftOrderExaminations,
    record: EFT_ORDER_RECORD,
    payerPage: eftPage,
  },
  {
    declared: cardSetups,
    work: [acting(cardSetups.CARD_SETUP_EXPIRE, lockCardSetup, expireCardSetup)],
    extensions: [PURPOSES.with(cardSetupPurpose)],
    endpoints: cardSetupEndpoints,
    pages: registerCardPages,
    examinations: cardSetupExaminations,
    record: CARD_SETUP_RECORD,
  },
  {
    declared: cards,
    work: [
      acting(cards.CARD_ANNOUNCE_EXPIRING, lockCard, announceExpiring),
      acting(cards.CARD_EXPIRE, lockCard, expireCard),
    ],
    extensions: [PURPOSES.with(checkoutCardPurpose), CARD_FACTS.with(applyCardFact)],
    endpoints: cardEndpoints,
    examinations: cardExaminations,
    sealed: [SEALED_CARD_TOKENS],
    record: CARD_RECORD,
  },
  { endpoints: checkoutPageEndpoints, record: CHECKOUT_PAGE_RECORD },
  {
    declared: checkoutSessions,
    work: [
      acting(checkoutSessions.CHECKOUT_EXPIRE, lockCheckoutSession, expireCheckoutSession),
      acting(checkoutSessions.CHECKOUT_RELEASE_COUPON, lockHeldCoupon, releaseHeldCoupon),
      acting(checkoutSessions.CHECKOUT_END_OTHERS, lockCheckoutSession, endOtherSubscriptions),
    ],
    extensions: [PURPOSES.with(checkoutPurpose)],
    mails: [WELCOME_MAIL],
    endpoints: checkoutSessionEndpoints,
    pages: registerCheckoutPages,
    examinations: checkoutSessionExaminations,
    record: CHECKOUT_SESSION_RECORD,
    payerPage: sessionPage,
  },
  ...DEBIT_ORDERS,
  {
    declared: cardCharges,
    work: [
      acting(cardCharges.CHARGE_DUE_INVOICES, lockForDueInvoices, findDueInvoices),
      asking(cardCharges.CHARGE_DUE_INVOICE, chargeDueInvoice),
    ],
    extensions: [PURPOSES.with(cardChargePurpose), CHARGE_CHECK.with(checkCharge)],
    endpoints: cardChargeEndpoints,
    examinations: cardChargeExaminations,
    record: CARD_CHARGE_RECORD,
  },
  {
    declared: dunning,
    work: [asking(dunning.SUBSCRIPTION_COLLECT, collectInvoice), asking(dunning.SUBSCRIPTION_NEW_CARD, tryNewCard)],
    extensions: [NEW_DEFAULT_CARD.with(askForNewCard)],
    mails: [MISSED_COLLECTION_MAIL],
    endpoints: dunningEndpoints,
    examinations: dunningExaminations,
    record: DUNNING_RECORD,
  },
];
