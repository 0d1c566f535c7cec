import { ColorInput, Group, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { Fieldset, type FormOf, MoneyInput } from "../../components/form.tsx";
import type { Section } from "../../components/sections.tsx";
import { SoldInputs } from "../../components/sold-input.tsx";
import { CHANNEL_NAMES } from "../../lib/channels.ts";
import { LogoInput } from "./logo.tsx";
import { Retention } from "./retention.tsx";
import type { Values } from "./values.ts";
import { Vat } from "./vat.tsx";

type Form = FormOf<Values>;

/** The sections of the settings, with the values that each shows, by the beginnings of their names. */
export const SECTIONS: readonly [Section<Values>, ...Section<Values>[]] = [
  {
    name: "business",
    label: "Business and VAT",
    of: ["branding", "replyTo", "vat", "paymentsIncludeVat"],
    fields: (form) => (
      <>
        <Company form={form} />
        <Vat form={form} />
      </>
    ),
  },
  {
    name: "documents",
    label: "Invoices and quotes",
    of: [
      "dueDays",
      "invoiceTerms",
      "invoiceReminders",
      "taxInclusivePrices",
      "receipts",
      "chargeDefaultCardWhenDue",
      "documentNumbers",
    ],
    fields: (form) => (
      <>
        <Invoices form={form} />
        <Numbers form={form} />
      </>
    ),
  },
  {
    name: "emails",
    label: "Emails and messages",
    of: ["mail", "messages"],
    fields: (form) => (
      <>
        <Mail form={form} />
        <Messages form={form} />
      </>
    ),
  },
  {
    name: "subscriptions",
    label: "Subscriptions",
    of: ["dunning", "trialEndingDays"],
    fields: (form) => <Missed form={form} />,
  },
  { name: "debits", label: "Debit orders", of: ["debitOrders"], fields: (form) => <DebitOrders form={form} /> },
  { name: "portal", label: "Customers' portal", of: ["portal"], fields: (form) => <Portal form={form} /> },
  { name: "security", label: "Security", of: ["reauthenticationLimit"], fields: (form) => <Proof form={form} /> },
  { name: "retention", label: "Data retention", of: ["retention"], fields: (form) => <Retention form={form} /> },
];

const Company = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Your business" about="As pages, mails and tax invoices show it.">
    <TextInput label="Name" autoComplete="off" dir="auto" {...form.getInputProps("branding.companyName")} />
    <Textarea label="Address" autosize minRows={3} dir="auto" {...form.getInputProps("branding.address")} />
    <Group grow align="flex-start">
      <TextInput
        label="VAT number"
        description="Ten digits, beginning with 4."
        autoComplete="off"
        {...form.getInputProps("branding.vatNumber")}
      />
      <TextInput
        label="Support email address"
        type="email"
        autoComplete="off"
        {...form.getInputProps("branding.supportEmail")}
      />
    </Group>
    <Group grow align="flex-start">
      <TextInput label="Answers to mails go to" type="email" autoComplete="off" {...form.getInputProps("replyTo")} />
      <ColorInput
        label="Colour"
        format="hex"
        eyeDropperButtonProps={{ "aria-label": "Take a colour from the screen" }}
        {...form.getInputProps("branding.accentColour")}
      />
    </Group>
    <LogoInput
      {...form.getInputProps("branding.logo")}
      value={form.values.branding.logo}
      refuse={(message) => form.setFieldError("branding.logo", message)}
    />
    <Switch
      label="Leave out Tefo's name on customers' pages and emails"
      {...form.getInputProps("branding.hideProduct", { type: "checkbox" })}
    />
  </Fieldset>
);

const Invoices = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Invoices and payments">
    <Group grow align="flex-start">
      <NumberInput label="Due after" suffix=" days" min={0} max={365} {...form.getInputProps("dueDays")} />
    </Group>
    <Textarea label="Terms on invoices" autosize minRows={3} dir="auto" {...form.getInputProps("invoiceTerms")} />
    <Group grow align="flex-start">
      <TextInput
        label="Remind before the due date"
        description="Days, with commas between them."
        {...form.getInputProps("invoiceReminders.daysBefore")}
      />
      <TextInput
        label="Remind after it"
        description="Days, with commas between them."
        {...form.getInputProps("invoiceReminders.daysAfter")}
      />
    </Group>
    <Switch label="Prices include VAT" {...form.getInputProps("taxInclusivePrices", { type: "checkbox" })} />
    <Switch label="Email receipts to customers" {...form.getInputProps("receipts", { type: "checkbox" })} />
    <Switch
      label="Charge the saved card when an invoice is due"
      {...form.getInputProps("chargeDefaultCardWhenDue", { type: "checkbox" })}
    />
  </Fieldset>
);

const Numbers = ({ form }: { readonly form: Form }) => (
  <Fieldset
    legend="Numbers"
    about="What new numbers begin with. They are counted on without a gap; numbers that were given do not change."
  >
    <Group grow align="flex-start">
      {PREFIXES.map(([name, label, usual]) => (
        <TextInput
          key={name}
          label={label}
          description={`For example ${(form.values.documentNumbers[name] || usual).toUpperCase()}000042`}
          maxLength={12}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          {...form.getInputProps(`documentNumbers.${name}`)}
        />
      ))}
    </Group>
  </Fieldset>
);

const PREFIXES = [
  ["invoicePrefix", "Invoices begin with", "INV-"],
  ["quotePrefix", "Quotes begin with", "QUO-"],
  ["creditNotePrefix", "Credit notes begin with", "CN-"],
] as const;

const Mail = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Emails" about="What you leave empty stays as it is by itself.">
    <Group grow align="flex-start">
      <TextInput
        label="Sender's name"
        description="Emails to customers come from it. Left empty: the name of your business."
        maxLength={100}
        autoComplete="off"
        dir="auto"
        {...form.getInputProps("mail.senderName")}
      />
      <TextInput
        label="Alerts go to"
        description="Addresses, with commas between them. Left empty: owners, admins and finance."
        autoComplete="off"
        {...form.getInputProps("mail.alertRecipients")}
      />
    </Group>
    {MAIL_TEXTS.map(([name, label]) => (
      <Textarea
        key={name}
        label={label}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        dir="auto"
        {...form.getInputProps(`mail.${name}`)}
      />
    ))}
  </Fieldset>
);

const BY_CHANNEL = [
  { value: "", label: "Email only" },
  ...Object.entries(CHANNEL_NAMES).map(([value, label]) => ({ value, label: `Email and ${label}` })),
];

const Messages = ({ form }: { readonly form: Form }) => (
  <Fieldset
    legend="Messages"
    about="SMS and WhatsApp go where a provider of the channel is connected under Messaging: from 08:00 to 20:00, on Saturdays from 09:00 to 13:00, never on Sundays and public holidays."
  >
    <Group grow align="flex-start">
      <NativeSelect label="Failed payments" data={BY_CHANNEL} {...form.getInputProps("messages.failedPayments")} />
      <NativeSelect
        label="Reminders of invoices"
        data={BY_CHANNEL}
        {...form.getInputProps("messages.invoiceReminders")}
      />
    </Group>
  </Fieldset>
);

const MAIL_TEXTS = [
  ["invoiceText", "Your words in the email of an invoice"],
  ["quoteText", "Your words in the email of a quote"],
  ["reminderText", "Your words in reminders"],
] as const;

const Missed = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Subscriptions" about="What happens when a payment is missed.">
    <Group grow align="flex-start">
      <TextInput
        label="Try again after"
        description="Days, with commas between them."
        {...form.getInputProps("dunning.retryDays")}
      />
      <NativeSelect
        label="After the last retry"
        data={[
          { value: "past_due", label: "Leave it past due" },
          { value: "cancel", label: "Cancel the subscription" },
        ]}
        {...form.getInputProps("dunning.finalAction")}
      />
      <NumberInput
        label="Remind before a trial ends"
        suffix=" days before"
        min={0}
        max={30}
        {...form.getInputProps("trialEndingDays")}
      />
    </Group>
  </Fieldset>
);

const DebitOrders = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Debit orders">
    <Group grow align="flex-start">
      <NumberInput label="Debit day" min={1} max={31} {...form.getInputProps("debitOrders.defaultDebitDay")} />
      <NumberInput
        label="Submit"
        suffix=" business days before"
        min={0}
        max={10}
        {...form.getInputProps("debitOrders.cutOffDays")}
      />
    </Group>
    <Switch
      label="A signed agreement is needed"
      {...form.getInputProps("debitOrders.requireSignedAgreement", { type: "checkbox" })}
    />
    <Switch
      label="Staff approve each mandate"
      {...form.getInputProps("debitOrders.requireApproval", { type: "checkbox" })}
    />
    <Textarea
      label="Text of the agreement"
      description="Left empty, it is Tefo's own."
      autosize
      minRows={4}
      maxRows={16}
      dir="auto"
      {...form.getInputProps("debitOrders.agreementTemplate")}
    />
  </Fieldset>
);

const Portal = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Customers' portal" about="What customers may do by themselves.">
    <Switch label="Change their plan" {...form.getInputProps("portal.changePlan", { type: "checkbox" })} />
    <SoldInputs
      label="Add-ons that they may add and remove"
      description="Products that are billed again and again. None: their add-ons are changed by you alone."
      path="/products"
      query={{ recurring: "true" }}
      {...form.getInputProps("portal.addOns")}
    />
    <Switch label="Pause" {...form.getInputProps("portal.pause", { type: "checkbox" })} />
    <Switch label="Cancel" {...form.getInputProps("portal.cancel", { type: "checkbox" })} />
    <Switch label="Change their card" {...form.getInputProps("portal.changeCard", { type: "checkbox" })} />
  </Fieldset>
);

const Proof = ({ form }: { readonly form: Form }) => (
  <Fieldset legend="Sign in again" about="Who moves much proves again who they are, with password or passkey.">
    <MoneyInput
      label="For more than"
      description="In one change, of any currency. Left empty, nobody is asked."
      {...form.getInputProps("reauthenticationLimit")}
    />
  </Fieldset>
);
