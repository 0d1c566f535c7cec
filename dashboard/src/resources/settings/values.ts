import type { Shape } from "../../api/client.ts";
import { numberOrNull, textOrNull } from "../../lib/values.ts";

type Settings = Shape<"Settings">;

/** The values of the settings' form: texts for fields that may be empty, days with commas between them. */
export const valuesOf = (settings: Settings) => ({
  branding: {
    logo: settings.branding.logo ?? "",
    companyName: settings.branding.companyName ?? "",
    address: settings.branding.address ?? "",
    vatNumber: settings.branding.vatNumber ?? "",
    supportEmail: settings.branding.supportEmail ?? "",
    accentColour: settings.branding.accentColour ?? "",
    hideProduct: settings.branding.hideProduct,
  },
  mail: {
    senderName: settings.mail.senderName ?? "",
    alertRecipients: settings.mail.alertRecipients.join(", "),
    invoiceText: settings.mail.invoiceText ?? "",
    quoteText: settings.mail.quoteText ?? "",
    reminderText: settings.mail.reminderText ?? "",
  },
  documentNumbers: { ...settings.documentNumbers },
  replyTo: settings.replyTo ?? "",
  reauthenticationLimit: (settings.reauthenticationLimit ?? "") as number | string,
  vatRegistered: settings.vatRegistered,
  vatRegisteredFrom: settings.vatRegisteredFrom ?? "",
  vatCategory: settings.vatCategory ?? "",
  vatRates: settings.vatRates.map(({ from, rate }) => ({ from, rate: rate as number | string })),
  paymentsIncludeVat: settings.paymentsIncludeVat,
  taxInclusivePrices: settings.taxInclusivePrices,
  dueDays: settings.dueDays as number | string,
  invoiceTerms: settings.invoiceTerms ?? "",
  receipts: settings.receipts,
  chargeDefaultCardWhenDue: settings.chargeDefaultCardWhenDue,
  trialEndingDays: settings.trialEndingDays as number | string,
  debitOrders: {
    requireApproval: settings.debitOrders.requireApproval,
    requireSignedAgreement: settings.debitOrders.requireSignedAgreement,
    defaultDebitDay: settings.debitOrders.defaultDebitDay as number | string,
    cutOffDays: settings.debitOrders.cutOffDays as number | string,
    agreementTemplate: settings.debitOrders.agreementTemplate ?? "",
  },
  dunning: {
    retryDays: settings.dunning.retryDays.join(", "),
    finalAction: settings.dunning.finalAction,
  },
  messages: {
    failedPayments: settings.messages.failedPayments ?? ("" as const),
    invoiceReminders: settings.messages.invoiceReminders ?? ("" as const),
  },
  invoiceReminders: {
    daysBefore: settings.invoiceReminders.daysBefore.join(", "),
    daysAfter: settings.invoiceReminders.daysAfter.join(", "),
  },
  portal: {
    changePlan: settings.portal.changePlan,
    addOns: [...settings.portal.addOns],
    pause: settings.portal.pause,
    cancel: settings.portal.cancel,
    changeCard: settings.portal.changeCard,
  },
  retention: {
    mailTexts: (settings.retention.mailTexts ?? "") as number | string,
    webhookDeliveries: (settings.retention.webhookDeliveries ?? "") as number | string,
    proofsOfPayment: (settings.retention.proofsOfPayment ?? "") as number | string,
    auditReads: (settings.retention.auditReads ?? "") as number | string,
    abandonedCheckouts: (settings.retention.abandonedCheckouts ?? "") as number | string,
    closedCustomers: (settings.retention.closedCustomers ?? "") as number | string,
  },
});
export type Values = ReturnType<typeof valuesOf>;

/** The parts of a text with commas or spaces between them. */
const partsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== "");
const days = (text: string): number[] => partsOf(text).map(Number);

/** The body of the change. */
export const bodyOf = (values: Values) => ({
  ...values,
  branding: {
    logo: textOrNull(values.branding.logo),
    companyName: textOrNull(values.branding.companyName),
    address: textOrNull(values.branding.address),
    vatNumber: textOrNull(values.branding.vatNumber),
    supportEmail: textOrNull(values.branding.supportEmail),
    accentColour: textOrNull(values.branding.accentColour),
    hideProduct: values.branding.hideProduct,
  },
  mail: {
    senderName: textOrNull(values.mail.senderName),
    alertRecipients: partsOf(values.mail.alertRecipients),
    invoiceText: textOrNull(values.mail.invoiceText),
    quoteText: textOrNull(values.mail.quoteText),
    reminderText: textOrNull(values.mail.reminderText),
  },
  documentNumbers: {
    invoicePrefix: textOrNull(values.documentNumbers.invoicePrefix),
    quotePrefix: textOrNull(values.documentNumbers.quotePrefix),
    creditNotePrefix: textOrNull(values.documentNumbers.creditNotePrefix),
  },
  replyTo: textOrNull(values.replyTo),
  reauthenticationLimit: values.reauthenticationLimit === "" ? null : Number(values.reauthenticationLimit),
  invoiceTerms: textOrNull(values.invoiceTerms),
  vatRegisteredFrom: textOrNull(values.vatRegisteredFrom),
  vatCategory: values.vatCategory === "" ? null : (values.vatCategory as "A" | "B" | "C"),
  vatRates: values.vatRates.map(({ from, rate }) => ({ from, rate: Number(rate) })),
  dueDays: Number(values.dueDays),
  trialEndingDays: Number(values.trialEndingDays),
  debitOrders: {
    ...values.debitOrders,
    defaultDebitDay: Number(values.debitOrders.defaultDebitDay),
    cutOffDays: Number(values.debitOrders.cutOffDays),
    agreementTemplate: textOrNull(values.debitOrders.agreementTemplate),
  },
  dunning: {
    retryDays: days(values.dunning.retryDays),
    finalAction: values.dunning.finalAction,
  },
  messages: {
    failedPayments: values.messages.failedPayments || null,
    invoiceReminders: values.messages.invoiceReminders || null,
  },
  invoiceReminders: {
    daysBefore: days(values.invoiceReminders.daysBefore),
    daysAfter: days(values.invoiceReminders.daysAfter),
  },
  retention: {
    mailTexts: numberOrNull(values.retention.mailTexts),
    webhookDeliveries: numberOrNull(values.retention.webhookDeliveries),
    proofsOfPayment: numberOrNull(values.retention.proofsOfPayment),
    auditReads: numberOrNull(values.retention.auditReads),
    abandonedCheckouts: numberOrNull(values.retention.abandonedCheckouts),
    closedCustomers: numberOrNull(values.retention.closedCustomers),
  },
});
