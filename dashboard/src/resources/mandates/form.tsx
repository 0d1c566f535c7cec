import { Checkbox, Group, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { api, got } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import type { KeyFor } from "../../api/records.ts";
import { BankInput } from "../../components/bank-input.tsx";
import { CustomerInput } from "../../components/customer-input.tsx";
import { DateInput } from "../../components/date-input.tsx";
import { Fieldset, type FormOf, MoneyInput, ResourceForm, WholeInput } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { FrequencyInput } from "../../components/price-fields.tsx";
import { IncludedVatSelect } from "../../components/vat-fields.tsx";
import type { Frequency } from "../../lib/frequency.ts";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";
import { type IncludedVat, includedVatOf } from "../../lib/vat.ts";
import { words } from "../../lib/words.ts";

const ACCOUNT_TYPES = ["current", "savings", "transmission"] as const;
const AUTHORITIES = [
  { value: "agreement", label: "The customer signs on a page of ours" },
  { value: "emandate", label: "The customer accepts in their banking app" },
  { value: "offline", label: "Signed on paper" },
] as const;

interface Values {
  customerId: string;
  /** Empty: it collects no subscription. */
  subscriptionId: string;
  amount: number | string;
  frequency: Frequency;
  vat: IncludedVat;
  debitDay: number | string;
  startDate: string;
  endDate: string;
  description: string;
  idNumber: string;
  notes: string;
  authority: (typeof AUTHORITIES)[number]["value"];
  confirmOfflineMandate: boolean;
  bank: {
    name: string;
    branchCode: string;
    accountNumber: string;
    accountHolder: string;
    accountType: (typeof ACCOUNT_TYPES)[number];
  };
}

const EMPTY: Values = {
  customerId: "",
  subscriptionId: "",
  amount: "",
  frequency: "monthly",
  vat: "",
  debitDay: "",
  startDate: "",
  endDate: "",
  description: "",
  idNumber: "",
  notes: "",
  authority: "agreement",
  confirmOfflineMandate: false,
  bank: { name: "", branchCode: "", accountNumber: "", accountHolder: "", accountType: "current" },
};

const bodyOf = (values: Values) => ({
  customerId: values.customerId,
  subscriptionId: textOrNull(values.subscriptionId),
  amount: Number(values.amount),
  frequency: values.frequency,
  // A subscription's invoices have their own.
  ...(values.subscriptionId === "" ? includedVatOf(values.vat) : {}),
  ...(values.debitDay === "" ? {} : { debitDay: Number(values.debitDay) }),
  startDate: values.startDate || null,
  endDate: values.endDate || null,
  description: textOrNull(values.description),
  idNumber: textOrNull(values.idNumber),
  notes: textOrNull(values.notes),
  authority: values.authority,
  confirmOfflineMandate: values.authority === "offline" && values.confirmOfflineMandate,
  bank: { ...values.bank, name: textOrNull(values.bank.name) },
});

const CHECK = {
  customerId: (id: string) => (id ? null : "Choose who is debited."),
  amount: (amount: number | string) => (Number(amount) > 0 ? null : "Enter the amount of each debit"),
};

/** The form with which staff create a mandate. */
export function Page() {
  const { customer } = useLocation().search as { customer?: string };
  return (
    <Frame title="New mandate" back={{ label: "Mandates", to: "/mandates" }}>
      <ResourceForm
        initial={{ ...EMPTY, customerId: customer ?? "" }}
        check={CHECK}
        fields={fields}
        label="Create mandate"
        send={(values: Values, keyFor: KeyFor) => {
          const body = bodyOf(values);
          return got(api.POST("/mandates", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
        }}
        touches={["/mandates", "/customers", "/emails"]}
        said="Mandate created"
        to={({ id }) => pathTo("mandates", id)}
        back="/mandates"
      />
    </Frame>
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
    <SubscriptionInput form={form} />
    <Fieldset legend="Debit">
      <Group grow align="flex-start">
        <MoneyInput label="Amount" withAsterisk {...form.getInputProps("amount")} />
        <FrequencyInput label="Frequency" {...form.getInputProps("frequency")} />
        {form.values.subscriptionId === "" && <IncludedVatSelect {...form.getInputProps("vat")} />}
        <WholeInput
          label="Day of the month"
          description="Left empty, that of your settings."
          max={31}
          {...form.getInputProps("debitDay")}
        />
      </Group>
      <Group grow align="flex-start">
        <DateInput label="First day" {...form.getInputProps("startDate")} />
        <DateInput label="Last day" {...form.getInputProps("endDate")} />
      </Group>
      <TextInput
        label="Description"
        description="The customer sees it on the agreement."
        dir="auto"
        autoComplete="off"
        {...form.getInputProps("description")}
      />
    </Fieldset>
    <BankFields form={form} />
    <AuthorityFields form={form} />
  </>
);

/** The subscriptions of the customer that a mandate can collect; nothing for one who has none. */
function SubscriptionInput({ form }: { readonly form: FormOf<Values> }) {
  const { customerId, subscriptionId } = form.values;
  const list = useList("/customer-subscriptions", { customerId, limit: "100" }, customerId !== "");
  const open = (list.data?.data ?? []).filter(
    ({ status, collectionMethod }) =>
      collectionMethod === "debit_order" && status !== "cancelled" && status !== "expired",
  );
  const isTheirs = list.isPlaceholderData || open.some(({ id }) => id === subscriptionId);
  // Another customer was chosen since.
  useEffect(() => {
    if (subscriptionId !== "" && list.isSuccess && !isTheirs) form.setFieldValue("subscriptionId", "");
  });
  if (customerId === "" || open.length === 0) return null;
  return (
    <NativeSelect
      label="Collects"
      description="A subscription's bills are debited at their own amounts, on their own days."
      data={[
        { value: "", label: "The amount below, regularly" },
        ...open.map(({ id, plan, amount, currency, billingPeriod }) => ({
          value: id ?? "",
          label: `${plan.name}, ${formatMoney(amount, currency)} ${words(billingPeriod).toLowerCase()}`,
        })),
      ]}
      {...form.getInputProps("subscriptionId")}
    />
  );
}

const BankFields = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="Bank account" about="Only the last four digits of the number are shown after this.">
    <TextInput label="Account holder" withAsterisk autoComplete="off" {...form.getInputProps("bank.accountHolder")} />
    <Group grow align="flex-start">
      <BankInput
        label="Bank"
        description="A bank of the list fills in its branch code."
        {...form.getInputProps("bank.name")}
        fill={(branchCode) => form.setFieldValue("bank.branchCode", branchCode)}
      />
      <TextInput
        label="Branch code"
        description="Universal, or that of the branch."
        withAsterisk
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps("bank.branchCode")}
      />
    </Group>
    <Group grow align="flex-start">
      <TextInput
        label="Account number"
        withAsterisk
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps("bank.accountNumber")}
      />
      <NativeSelect
        label="Account type"
        data={ACCOUNT_TYPES.map((value) => ({ value, label: words(value) }))}
        {...form.getInputProps("bank.accountType")}
      />
    </Group>
    <TextInput label="ID number of the holder" autoComplete="off" {...form.getInputProps("idNumber")} />
  </Fieldset>
);

const AuthorityFields = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="Authority">
    <NativeSelect label="How the customer agrees" data={[...AUTHORITIES]} {...form.getInputProps("authority")} />
    {form.values.authority === "offline" && (
      <Checkbox
        label="I confirm that I hold the signed mandate and can show it when a debit is disputed"
        {...form.getInputProps("confirmOfflineMandate", { type: "checkbox" })}
      />
    )}
    <Textarea label="Notes" dir="auto" autosize minRows={2} {...form.getInputProps("notes")} />
  </Fieldset>
);
