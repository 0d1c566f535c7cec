import { z } from "zod";
import { isNumberPrefix, NUMBER_PREFIXES, PREFIX_MAX } from "../../domain/document-numbers.ts";
import { exchangeFields, mailPreview, taxInvoiceReply, taxRate } from "../../domain/schema.ts";
import { CHANNELS } from "../../kernel/messages.ts";
import { VAT_CATEGORIES } from "../../kernel/vat-rates.ts";
import { clearable, colour, currency, email, text, whole } from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { RETENTION, RETENTION_NAMES, type RetentionName } from "./types.ts";

const nullableText = z.string().nullable().default(null);

const DebitOrders = z.object({
  requireApproval: z.boolean().default(false),
  requireSignedAgreement: z.boolean().default(false),
  defaultDebitDay: z.int().default(1),
  agreementTemplate: nullableText,
  cutOffDays: z
    .int()
    .nullable()
    .default(null)
    .describe(
      "Business days from the gathering of debits to their action date; unless it is set, the gateway's own: 3 of Netcash, else 2.",
    ),
});

const Dunning = z.object({
  retryDays: z.array(z.int()).default([1, 3, 5, 7]),
  finalAction: z.enum(["cancel", "past_due"]).default("past_due"),
});

const channelOf = (what: string) =>
  z.enum(CHANNELS).nullable().default(null).describe(`By which channel ${what}, beside the email; null: by none.`);

const Messages = z.object({
  failedPayments: channelOf("payers are told of a payment that was missed or a debit that was returned unpaid"),
  invoiceReminders: channelOf("customers are reminded of invoices"),
});

const InvoiceReminders = z.object({
  daysBefore: z.array(z.int()).default([3]),
  daysAfter: z.array(z.int()).default([1, 7]),
});

/** The actions on subscriptions that customers have in the portal. */
const Portal = z.object({
  changePlan: z.boolean().default(true),
  addOns: z.array(z.string()).default([]).describe("Recurring products that customers may add, by id."),
  pause: z.boolean().default(true),
  cancel: z.boolean().default(true),
  changeCard: z.boolean().default(true),
});

const Branding = z.object({
  logo: nullableText.describe("Path of the logo on this server; send a data: URL to set it."),
  accentColour: nullableText,
  supportEmail: nullableText,
  companyName: nullableText,
  address: nullableText,
  vatNumber: nullableText,
  hideProduct: z
    .boolean()
    .default(false)
    .describe("Whether pages and mails to payers leave out the name of this product."),
});

/** Mails to customers, and who gets the alerts for staff. */
const Mail = z.object({
  senderName: nullableText.describe("The name that mails to customers come from; null: that of the business."),
  alertRecipients: z
    .array(z.string())
    .default([])
    .describe("Addresses that get the alerts about money; none: every owner, admin and finance member."),
  invoiceText: nullableText.describe("Your own words in the mail of an invoice."),
  quoteText: nullableText.describe("Your own words in the mail of a quote."),
  reminderText: nullableText.describe("Your own words in reminders of invoices."),
});

/** What new numbers begin with. */
const DocumentNumbers = z.object({
  invoicePrefix: z.string().default(NUMBER_PREFIXES.invoice).describe("What the numbers of new invoices begin with."),
  quotePrefix: z.string().default(NUMBER_PREFIXES.quote).describe("What the numbers of new quotes begin with."),
  creditNotePrefix: z
    .string()
    .default(NUMBER_PREFIXES.credit_note)
    .describe("What the numbers of new credit notes begin with."),
});

const months = z.int().nullable().default(null);
const ofEach = <T>(make: (what: RetentionName) => T) =>
  Object.fromEntries(RETENTION_NAMES.map((what) => [what, make(what)])) as Record<RetentionName, T>;

/** Months after which data are removed; null: as long as the service keeps them. */
const Retention = z.object(ofEach(() => months));

/** The day from which 15 % is the standard rate in South Africa. */
const FIRST_RATE = "2018-04-01";

const day = () => z.string().meta({ format: "date" });

const VatRate = z.object({ from: day(), rate: z.number() });

const ExchangeRate = z.object({
  currency: z.string(),
  rate: z.number().describe("Rand for one unit of the currency."),
  date: day(),
  source: z.string(),
});

/** The settings that are stored, with their defaults. */
const StoredSettings = z.object({
  vatRegistered: z
    .boolean()
    .default(true)
    .describe("Whether the organisation is registered for VAT. While it is not, its rate is 0."),
  vatRegisteredFrom: day()
    .nullable()
    .default(null)
    .describe("The first day of the registration; before it the rate is 0. Null: from the beginning."),
  vatRates: z
    .array(VatRate)
    .default([{ from: FIRST_RATE, rate: 15 }])
    .describe("The standard rate from each day on, ascending; the first one is also that of all earlier days."),
  vatCategory: z
    .enum(VAT_CATEGORIES)
    .nullable()
    .default(null)
    .describe(
      "The tax periods that SARS has assigned: A, two months of which the last is odd (January); B, even (February); C, one month. " +
        "Null: not said.",
    ),
  paymentsIncludeVat: z
    .boolean()
    .default(false)
    .describe(
      "Whether payments without an invoice include VAT at the standard rate, where neither their link or mandate nor a product states it.",
    ),
  exchangeRates: z
    .array(ExchangeRate)
    .default([])
    .describe("Rates by which invoices in other currencies are reckoned in rand (interface 2.5, exchange)."),
  invoiceTerms: nullableText,
  dueDays: z.int().default(14),
  receipts: z.boolean().default(true),
  chargeDefaultCardWhenDue: z.boolean().default(false),
  taxInclusivePrices: z.boolean().default(false),
  debitOrders: DebitOrders.prefault({}),
  dunning: Dunning.prefault({}),
  invoiceReminders: InvoiceReminders.prefault({}),
  messages: Messages.prefault({}),
  trialEndingDays: z.int().default(3),
  portal: Portal.prefault({}),
  branding: Branding.prefault({}),
  mail: Mail.prefault({}),
  documentNumbers: DocumentNumbers.prefault({}).describe(
    "What new numbers begin with. Numbers that were given stay, and are counted on.",
  ),
  replyTo: nullableText,
  reauthenticationLimit: z
    .number()
    .nullable()
    .default(null)
    .describe(
      "Staff who move more than this in one change sign in again for it, unless they did within five minutes; null: never.",
    ),
  retention: Retention.prefault({}).describe(
    "The number of months after which data are removed; null: as long as the service keeps them (interface 18.7).",
  ),
});

/** The settings with their defaults (interface 14.2). */
export const SettingsObject = StoredSettings.extend({
  vatRate: z.number().describe("The rate of today: by vatRates, and 0 while the organisation is not registered."),
}).meta({ id: "Settings" });

/** What the forms of new records begin with (interface 14.2). */
export const FormDefaultsObject = SettingsObject.pick({
  vatRate: true,
  taxInclusivePrices: true,
  paymentsIncludeVat: true,
  vatCategory: true,
}).meta({
  id: "FormDefaults",
});

/** The settings of an organisation. `branding.logo` is a path on this server. */
export type Settings = z.output<typeof StoredSettings>;

/** The customers' view of settings that are not saved: pages and a mail as HTML, and whether the invoice is a tax invoice. */
export const SettingsPreview = z
  .object({
    pages: z.object({ pay: z.string(), checkout: z.string() }),
    mail: mailPreview(),
    taxInvoice: taxInvoiceReply(),
  })
  .meta({ id: "SettingsPreview" });

/** Settings that were stored before rates had days: `vatRate` is the rate of all days. */
const Undated = z.object({ vatRate: z.number(), vatRates: z.undefined().optional() });

/** The stored settings, with defaults for the rest. */
export function settingsOf(stored: unknown): Settings {
  const undated = Undated.safeParse(stored).data;
  const settings = StoredSettings.parse(stored);
  return undated ? { ...settings, vatRates: [{ from: FIRST_RATE, rate: undated.vatRate }] } : settings;
}

const address = () =>
  z.union([z.literal("").transform(() => null), email()], "must be an e-mail address such as thandi@example.co.za");
const object = "must be an object";

const prefix = () =>
  text(1, PREFIX_MAX)
    .transform((given) => given.toUpperCase())
    .refine(
      isNumberPrefix,
      "must be letters, digits and single hyphens, and end with a letter or a hyphen, such as ACME-",
    )
    .nullable();

/** Numbers of days, ascending and without repetition. */
const channel = () => z.enum(CHANNELS, "must be sms or whatsapp").nullable();
const days = () =>
  z
    .array(whole(1, 60))
    .max(10, "must name at most 10 days")
    .refine((given) => given.every((day, index) => index === 0 || day > (given[index - 1] ?? 0)), "must ascend");

/**
 * Body of `PATCH /settings`: a field that is not given stays, null restores the default, except for numbers, which refuse null;
 * nested objects are changed field by field. Other fields are ignored.
 */
export const SettingsPatch = z
  .object({
    vatRate: taxRate().describe(
      "Corrects the rate that is in force today. A rate from a day on is given with vatRates.",
    ),
    vatRegistered: z.boolean().nullable(),
    vatRegisteredFrom: date().nullable(),
    vatCategory: z.enum(VAT_CATEGORIES).nullable(),
    paymentsIncludeVat: z.boolean().nullable(),
    vatRates: z
      .array(z.object({ from: date(), rate: taxRate() }, "must be an object with from and rate"))
      .min(1, "must have at least one rate")
      .max(50, "must have at most 50 rates")
      .refine(
        (rates) => rates.every(({ from }, at) => at === 0 || from > (rates[at - 1]?.from ?? "")),
        "must ascend by from",
      )
      .nullable()
      .describe("The rates from the first given day on; rates of earlier days stay."),
    exchangeRates: z
      .array(
        z.object(
          {
            currency: currency().refine((code) => code !== "ZAR", "must be another currency than ZAR"),
            ...exchangeFields,
            date: exchangeFields.date.optional().describe("Left out: today."),
          },
          "must be an object with currency, rate, date and source",
        ),
      )
      .max(200, "must have at most 200 rates")
      .refine(
        (rates) => new Set(rates.map((one) => one.currency)).size === rates.length,
        "must not have two rates of one currency",
      )
      .nullable()
      .describe("All rates: one that is not given is removed."),
    invoiceTerms: clearable(4000),
    dueDays: whole(0, 365),
    receipts: z.boolean().nullable(),
    chargeDefaultCardWhenDue: z.boolean().nullable(),
    taxInclusivePrices: z.boolean().nullable(),
    debitOrders: z
      .object(
        {
          requireApproval: z.boolean().nullable(),
          requireSignedAgreement: z.boolean().nullable(),
          defaultDebitDay: whole(1, 31),
          agreementTemplate: clearable(20_000),
          cutOffDays: whole(0, 10),
        },
        object,
      )
      .partial()
      .nullable(),
    dunning: z
      .object(
        {
          retryDays: days().nullable(),
          finalAction: z.enum(["cancel", "past_due"], "must be cancel or past_due").nullable(),
        },
        object,
      )
      .partial()
      .nullable(),
    invoiceReminders: z
      .object({ daysBefore: days().nullable(), daysAfter: days().nullable() }, object)
      .partial()
      .nullable(),
    messages: z.object({ failedPayments: channel(), invoiceReminders: channel() }, object).partial().nullable(),
    trialEndingDays: whole(0, 30),
    portal: z
      .object(
        {
          changePlan: z.boolean().nullable(),
          addOns: z
            .array(text(1, 100))
            .max(20, "must name at most 20 products")
            .refine((given) => new Set(given).size === given.length, "must not name a product twice")
            .nullable(),
          pause: z.boolean().nullable(),
          cancel: z.boolean().nullable(),
          changeCard: z.boolean().nullable(),
        },
        object,
      )
      .partial()
      .nullable(),
    branding: z
      .object(
        {
          logo: z
            .string()
            .nullable()
            .describe(
              "`data:image/png;base64,…` (also jpeg, webp) of at most 20 kB; null or an empty text removes it.",
            ),
          accentColour: colour().nullable(),
          supportEmail: address().nullable(),
          companyName: clearable(200),
          address: clearable(1000),
          vatNumber: clearable(30),
          hideProduct: z.boolean().nullable(),
        },
        object,
      )
      .partial()
      .nullable(),
    mail: z
      .object(
        {
          senderName: clearable(100),
          alertRecipients: z
            .array(email())
            .max(10, "must name at most 10 addresses")
            .refine((given) => new Set(given).size === given.length, "must not name an address twice")
            .nullable(),
          invoiceText: clearable(2000),
          quoteText: clearable(2000),
          reminderText: clearable(2000),
        },
        object,
      )
      .partial()
      .nullable(),
    documentNumbers: z
      .object({ invoicePrefix: prefix(), quotePrefix: prefix(), creditNotePrefix: prefix() }, object)
      .partial()
      .nullable(),
    replyTo: address().nullable(),
    reauthenticationLimit: z
      .number("must be a JSON number in major units, or null")
      .min(0, "must be at least 0")
      .max(1_000_000_000, "must be at most 1000000000")
      .refine((value) => /^\d+(\.\d{1,2})?$/.test(String(value)), "must have at most 2 decimals")
      .nullable(),
    retention: z
      .object(
        ofEach((what) => whole(RETENTION[what].least, RETENTION[what].most).nullable()),
        object,
      )
      .partial()
      .nullable(),
  })
  .partial();
export type SettingsPatchBody = z.output<typeof SettingsPatch>;

/** Body of `POST /organisations`. */
export const OrganisationCreate = z.object({
  name: text(1, 200),
  slug: text(1, 63).describe("Lower-case letters, digits and hyphens: part of addresses that payers see. Stays."),
  sandbox: z.boolean().default(false).describe("Whether its money is not real. It cannot be changed."),
  vatRegistered: z
    .boolean()
    .default(true)
    .describe("Whether it is registered for VAT. While it is not, it charges none; the settings change it."),
});
export type OrganisationCreateBody = z.output<typeof OrganisationCreate>;

/** The answer of `POST /organisations`. */
export const OrganisationCreated = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  sandbox: z.boolean(),
});
