import { Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import type { KeyFor } from "../../api/records.ts";
import { useActing } from "../../api/session.ts";
import { BillLines, totalsOf } from "../../components/bill-lines.tsx";
import { CustomerInput } from "../../components/customer-input.tsx";
import { DateInput } from "../../components/date-input.tsx";
import { Fieldset, type FormOf, ResourceForm, WholeInput } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { SoldInput } from "../../components/sold-input.tsx";
import { Time } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { numberOrNull, textOrNull } from "../../lib/values.ts";
import { INCOMPLETE_ITEMS, ITEM_RULES, ItemFields, type ItemValues, isComplete, itemOf } from "./item-fields.tsx";
import { Planned, usePlan } from "./planned.tsx";
import { COLLECTIONS, TOUCHES } from "./words.ts";

type Collection = Exclude<Shape<"CustomerSubscription">["collectionMethod"], "external">;
interface Values {
  customerId: string;
  planId: string;
  collectionMethod: Collection;
  quantity: number | string;
  items: ItemValues[];
  startDate: string;
  paidThrough: string;
  trialDays: number | string;
  billingAnchorDay: number | string;
  couponCode: string;
  externalReference: string;
}

const CHECK = {
  customerId: (value: string) => (value ? null : "Choose who subscribes."),
  planId: (value: string) => (value ? null : "Choose what they subscribe to."),
  items: ITEM_RULES,
};

/** The feature that a collection method needs in the organisation's plan. */
const NEEDS: Readonly<Record<Collection, string | null>> = {
  invoice: null,
  gateway: "recurring_card_billing",
  debit_order: "debit_orders",
  manual: null,
};

const bodyOf = (values: Values) => {
  const trialDays = numberOrNull(values.trialDays);
  const billingAnchorDay = numberOrNull(values.billingAnchorDay);
  return {
    customer: { id: values.customerId },
    planId: values.planId,
    collectionMethod: values.collectionMethod,
    quantity: Number(values.quantity) || 1,
    items: values.items.map(itemOf),
    startDate: textOrNull(values.startDate),
    paidThrough: textOrNull(values.paidThrough),
    ...(trialDays === null ? {} : { trialDays }),
    ...(billingAnchorDay === null ? {} : { billingAnchorDay }),
    couponCode: textOrNull(values.couponCode),
    externalReference: textOrNull(values.externalReference),
  };
};

/** The form of a new subscription, which shows its first bill before it is made; `?customer=` in the address chooses the customer. */
export function Page() {
  const { customer, plan } = useLocation().search as { customer?: string; plan?: string };
  const initial: Values = {
    customerId: customer ?? "",
    planId: plan ?? "",
    collectionMethod: "invoice",
    quantity: 1,
    items: [],
    startDate: "",
    paidThrough: "",
    trialDays: "",
    billingAnchorDay: "",
    couponCode: "",
    externalReference: "",
  };
  return (
    <Frame title="New subscription" back={{ label: "Subscriptions", to: "/customer-subscriptions" }}>
      <ResourceForm
        initial={initial}
        check={CHECK}
        fields={(form) => <Fields form={form} />}
        label="Create subscription"
        send={async (values: Values, keyFor: KeyFor) => {
          const body = bodyOf(values);
          const params = { header: { "Idempotency-Key": keyFor(body) } };
          return got(api.POST("/customer-subscriptions", { body, params }));
        }}
        touches={[...TOUCHES, "/emails"]}
        said="Subscription created"
        to={(made) => pathTo("customer-subscriptions", ("id" in made && made.id) || "")}
        back="/customer-subscriptions"
      />
    </Frame>
  );
}

const Fields = ({ form }: { readonly form: FormOf<Values> }) => {
  const { membership } = useActing();
  const methods = (Object.keys(NEEDS) as Collection[]).filter((method) => {
    const feature = NEEDS[method];
    return feature === null || membership.plan.features.some((one) => one === feature);
  });
  return (
    <>
      <CustomerInput label="Customer" withAsterisk {...form.getInputProps("customerId")} />
      <SoldInput label="Plan" path="/plans" withAsterisk {...form.getInputProps("planId")} />
      <Group grow align="flex-start">
        <NativeSelect
          label="Payment method"
          data={methods.map((value) => ({ value, label: COLLECTIONS[value] }))}
          {...form.getInputProps("collectionMethod")}
        />
        <WholeInput label="Quantity" max={1_000_000} {...form.getInputProps("quantity")} />
        <TextInput label="Coupon code" autoComplete="off" {...form.getInputProps("couponCode")} />
      </Group>
      <ItemFields form={form} currency={membership.currency ?? "ZAR"} />
      <Dates form={form} />
      <TextInput
        label="Your reference"
        description="What your own system calls it. It is unique."
        autoComplete="off"
        {...form.getInputProps("externalReference")}
      />
      <Preview values={form.values} />
    </>
  );
};

const Dates = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="When" about="What is left empty follows the plan: it begins today, with the plan's trial.">
    <Group grow align="flex-start">
      <DateInput label="Starts" {...form.getInputProps("startDate")} />
      <DateInput label="Already paid until" {...form.getInputProps("paidThrough")} />
    </Group>
    <Group grow align="flex-start">
      <WholeInput label="Days of trial" min={0} max={731} {...form.getInputProps("trialDays")} />
      <WholeInput label="Billed on day of the month" max={31} {...form.getInputProps("billingAnchorDay")} />
    </Group>
  </Fieldset>
);

/** The bill that it would make, from the API's dry run. */
function Preview({ values }: { readonly values: Values }) {
  const chosen = values.customerId !== "" && values.planId !== "";
  const complete = chosen && values.items.every(isComplete);
  const plan = usePlan("new", complete ? bodyOf(values) : null, (body) =>
    got(api.POST("/customer-subscriptions", { body: { ...body, dryRun: true } })),
  );
  return (
    <Planned of={plan} missing={`${chosen ? INCOMPLETE_ITEMS : "Choose customer and plan"}, and see what is billed.`}>
      {(answer) =>
        "dryRun" in answer ? (
          answer.action === "exists" ? (
            <Text size="sm">A subscription with this reference exists already; no second one is created.</Text>
          ) : (
            <Bills of={answer.preview} />
          )
        ) : null
      }
    </Planned>
  );
}

const Bills = ({
  of: { invoice, nextInvoice },
}: {
  readonly of: {
    readonly invoice: Shape<"PlannedBill"> | null;
    readonly nextInvoice: Shape<"PlannedBill"> | null;
  };
}) => (
  <>
    <Text size="sm">{invoice ? "Billed today:" : "Nothing is billed today."}</Text>
    {invoice && <Bill label="Billed today" of={invoice} />}
    {nextInvoice && (
      <>
        <Text size="sm" mt="sm">
          Next, on <Time at={nextInvoice.date} day />:
        </Text>
        <Bill label="Billed next" of={nextInvoice} />
      </>
    )}
  </>
);

const Bill = ({ label, of }: { readonly label: string; readonly of: Shape<"PlannedBill"> }) => (
  <BillLines label={label} lines={of.lines} currency={of.currency} foot={totalsOf(of, of.currency)} />
);
