import { Group, NativeSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { DateInput } from "../../components/date-input.tsx";
import { EditPage } from "../../components/edit-page.tsx";
import { Fieldset, type FormOf, MoneyInput, ResourceForm, WholeInput } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { CurrencyInput } from "../../components/price-fields.tsx";
import { SoldInputs } from "../../components/sold-input.tsx";
import { pathTo } from "../../lib/paths.ts";
import { toDateInput } from "../../lib/time.ts";
import { numberOrNull, textOrNull } from "../../lib/values.ts";

type Coupon = Shape<"Coupon">;
interface Values {
  code: string;
  name: string;
  kind: "percent" | "amount";
  percent: number | string;
  amount: number | string;
  currency: string;
  duration: Coupon["duration"];
  cycles: number | string;
  startsAt: string;
  endsAt: string;
  maxRedemptions: number | string;
  maxRedemptionsPerCustomer: number | string;
  planIds: string[];
  productIds: string[];
  enabled: boolean;
}

const CHECK = {
  code: (value: string) => (value.trim() ? null : "Enter a code"),
  percent: (value: number | string, { kind }: Values) =>
    kind === "percent" && !(Number(value) > 0) ? "Say how much it takes off." : null,
  amount: (value: number | string, { kind }: Values) =>
    kind === "amount" && !(Number(value) > 0) ? "Say how much it takes off." : null,
};

const bodyOf = ({ kind, ...values }: Values) => ({
  ...values,
  name: textOrNull(values.name),
  percent: kind === "percent" ? numberOrNull(values.percent) : null,
  amount: kind === "amount" ? numberOrNull(values.amount) : null,
  cycles: values.duration === "cycles" ? numberOrNull(values.cycles) : null,
  startsAt: textOrNull(values.startsAt),
  endsAt: textOrNull(values.endsAt),
  maxRedemptions: numberOrNull(values.maxRedemptions),
  maxRedemptionsPerCustomer: numberOrNull(values.maxRedemptionsPerCustomer),
});

/** A date for its field; empty for none. */
const dayOf = (at: string | null): string => (at === null ? "" : toDateInput(at));

/** A day that was not changed is left out, so that the time of day which it may have stays. */
function changesOf(coupon: Coupon, values: Values) {
  const { startsAt, endsAt, ...body } = bodyOf(values);
  return {
    ...body,
    ...(values.startsAt === dayOf(coupon.startsAt) ? {} : { startsAt }),
    ...(values.endsAt === dayOf(coupon.endsAt) ? {} : { endsAt }),
  };
}

const valuesOf = (coupon: Coupon): Values => ({
  code: coupon.code,
  name: coupon.name ?? "",
  kind: coupon.percent === null ? "amount" : "percent",
  percent: coupon.percent ?? "",
  amount: coupon.amount ?? "",
  currency: coupon.currency,
  duration: coupon.duration,
  cycles: coupon.cycles ?? "",
  startsAt: dayOf(coupon.startsAt),
  endsAt: dayOf(coupon.endsAt),
  maxRedemptions: coupon.maxRedemptions ?? "",
  maxRedemptionsPerCustomer: coupon.maxRedemptionsPerCustomer ?? "",
  planIds: coupon.planIds,
  productIds: coupon.productIds,
  enabled: coupon.enabled,
});

const EMPTY: Values = {
  code: "",
  name: "",
  kind: "percent",
  percent: "",
  amount: "",
  currency: "ZAR",
  duration: "first",
  cycles: "",
  startsAt: "",
  endsAt: "",
  maxRedemptions: "",
  maxRedemptionsPerCustomer: "",
  planIds: [],
  productIds: [],
  enabled: true,
};

/** The form of a new coupon, or of one to be changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

const New = () => (
  <Frame title="New coupon" back={{ label: "Coupons", to: "/coupons" }}>
    <ResourceForm
      initial={EMPTY}
      check={CHECK}
      fields={fields}
      label="Create coupon"
      send={(values: Values, keyFor: KeyFor) => {
        const body = bodyOf(values);
        return got(api.POST("/coupons", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={["/coupons"]}
      said="Coupon created"
      to={({ id }) => pathTo("coupons", id)}
      back="/coupons"
    />
  </Frame>
);

function Edit({ id }: { readonly id: string }) {
  const path = { path: { id } };
  return (
    <EditPage
      title="Edit coupon"
      back={{ label: "Coupon", to: pathTo("coupons", id) }}
      record={useRecord(["/coupons", id], () => got(api.GET("/coupons/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={fields}
      change={(values, edit, coupon) =>
        got(api.PATCH("/coupons/{id}", { params: path, body: edit(changesOf(coupon, values)) }))
      }
      touches={["/coupons"]}
      said="Coupon updated"
    />
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <Group grow align="flex-start">
      <TextInput label="Code" withAsterisk autoComplete="off" {...form.getInputProps("code")} />
      <TextInput label="Name" autoComplete="off" dir="auto" {...form.getInputProps("name")} />
    </Group>
    <Reduction form={form} />
    <Limits form={form} />
    <SoldInputs
      label="For these plans"
      path="/plans"
      description="None: for every plan."
      {...form.getInputProps("planIds")}
    />
    <SoldInputs
      label="For these products"
      path="/products"
      description="None: for every product."
      {...form.getInputProps("productIds")}
    />
    <Switch
      label="Enabled"
      description="A disabled coupon cannot be redeemed; who has redeemed it keeps it."
      {...form.getInputProps("enabled", { type: "checkbox" })}
    />
  </>
);

const Reduction = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="Discount">
    <Group grow align="flex-start">
      <NativeSelect
        label="Type"
        data={[
          { value: "percent", label: "Percentage" },
          { value: "amount", label: "Amount" },
        ]}
        {...form.getInputProps("kind")}
      />
      {form.values.kind === "percent" ? (
        <NumberInput
          label="Percent"
          suffix=" %"
          min={0}
          max={100}
          decimalScale={4}
          hideControls
          {...form.getInputProps("percent")}
        />
      ) : (
        <MoneyInput label="Amount" currency={form.values.currency} {...form.getInputProps("amount")} />
      )}
      <CurrencyInput {...form.getInputProps("currency")} />
    </Group>
    <Group grow align="flex-start">
      <NativeSelect
        label="From"
        data={[
          { value: "first", label: "The first charge" },
          { value: "cycles", label: "Some charges" },
          { value: "every", label: "Every charge" },
        ]}
        {...form.getInputProps("duration")}
      />
      {form.values.duration === "cycles" && <WholeInput label="Charges" max={1000} {...form.getInputProps("cycles")} />}
    </Group>
  </Fieldset>
);

const Limits = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="When and how often" about="What is left empty sets no limit.">
    <Group grow align="flex-start">
      <DateInput label="Valid from" {...form.getInputProps("startsAt")} />
      <DateInput label="Ends" {...form.getInputProps("endsAt")} />
    </Group>
    <Group grow align="flex-start">
      <WholeInput label="Total uses" {...form.getInputProps("maxRedemptions")} />
      <WholeInput label="Uses per customer" {...form.getInputProps("maxRedemptionsPerCustomer")} />
    </Group>
  </Fieldset>
);
