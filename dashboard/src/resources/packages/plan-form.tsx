import { Group, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { ApiFailure } from "../../api/failure.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { useFormDefaults } from "../../api/settings.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { Fieldset, type FormOf, MoneyInput, ResourceForm, WholeInput } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { PriceFields } from "../../components/price-fields.tsx";
import { TierFields } from "../../components/tier-fields.tsx";
import type { Frequency } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { newPrice, priceOf, type TypedPrice, typedPrice } from "../../lib/price.ts";
import { NO_TIERS, type TypedTiers, tiersOf, typedTiers } from "../../lib/tiers.ts";
import { numberOrNull, textOrNull } from "../../lib/values.ts";
import { FeatureFields, featuresOf, type TypedFeature, typedFeature } from "./feature-fields.tsx";

type Plan = Shape<"Plan">;
interface Values extends TypedPrice, TypedTiers {
  name: string;
  code: string;
  frequency: Frequency;
  setupFee: number | string;
  trialDays: number | string;
  cycles: number | string;
  minimumAmount: number | string;
  features: TypedFeature[];
  callToAction: Plan["callToAction"];
  callToActionUrl: string;
  enabled: boolean;
}

const CHECK = {
  name: (value: string) => (value.trim() ? null : "Enter a name"),
  amount: (value: number | string) => (value === "" ? "Enter a price, which may be 0" : null),
};

const bodyOf = ({ taxRate, taxExempt, tierMode, tiers, includedUnits, ...values }: Values, opened?: Plan) => ({
  ...values,
  ...priceOf({ ...values, taxRate, taxExempt }, opened),
  code: textOrNull(values.code),
  setupFee: Number(values.setupFee),
  trialDays: Number(values.trialDays),
  cycles: numberOrNull(values.cycles),
  ...tiersOf({ tierMode, tiers, includedUnits }),
  minimumAmount: Number(values.minimumAmount),
  features: featuresOf(values.features),
  callToActionUrl: values.callToAction === "none" ? null : textOrNull(values.callToActionUrl),
});

const valuesOf = (plan: Plan): Values => ({
  name: plan.name,
  code: plan.code ?? "",
  ...typedPrice(plan),
  frequency: plan.frequency,
  setupFee: plan.setupFee,
  trialDays: plan.trialDays,
  cycles: plan.cycles ?? "",
  ...typedTiers(plan),
  minimumAmount: plan.minimumAmount ?? "",
  features: plan.features.map(typedFeature),
  callToAction: plan.callToAction,
  callToActionUrl: plan.callToActionUrl ?? "",
  enabled: plan.enabled,
});

/** The form of a package's new plan, or of one to be changed. */
export function Page() {
  const { id, plan } = useParams({ strict: false }) as { id: string; plan?: string };
  return plan === undefined ? <New id={id} /> : <Edit id={id} planId={plan} />;
}

const TOUCHES = ["/packages", "/plans"];

function New({ id }: { readonly id: string }) {
  const defaults = useFormDefaults();
  return (
    <Frame title="New plan" back={{ label: "Package", to: pathTo("packages", id) }}>
      <Loaded of={defaults}>
        {(current) => (
          <ResourceForm
            initial={{ ...EMPTY, ...newPrice(current) }}
            check={CHECK}
            fields={fields}
            label="Create plan"
            send={(values: Values, keyFor: KeyFor) => {
              const body = bodyOf(values);
              const params = { path: { id }, header: { "Idempotency-Key": keyFor(body) } };
              return got(api.POST("/packages/{id}/plans", { body, params }));
            }}
            touches={TOUCHES}
            said="Plan created"
            to={() => pathTo("packages", id)}
            back={pathTo("packages", id)}
          />
        )}
      </Loaded>
    </Frame>
  );
}

const EMPTY: Omit<Values, keyof TypedPrice> = {
  name: "",
  code: "",
  frequency: "monthly",
  setupFee: 0,
  trialDays: 0,
  cycles: "",
  ...NO_TIERS,
  minimumAmount: "",
  features: [],
  callToAction: "none",
  callToActionUrl: "",
  enabled: true,
};

function Edit({ id, planId }: { readonly id: string; readonly planId: string }) {
  const plan = useRecord(["/packages", id, "plan", planId], async () => {
    const { plans } = await got(api.GET("/packages/{id}", { params: { path: { id } } }));
    const found = plans.find((one) => one.id === planId);
    if (!found) throw new ApiFailure(404, { message: "This package has no such plan." }, null);
    return found;
  });
  const params = { path: { id, planId } };
  return (
    <EditPage
      title="Edit plan"
      back={{ label: "Package", to: pathTo("packages", id) }}
      record={plan}
      valuesOf={valuesOf}
      check={CHECK}
      fields={fields}
      summary={() =>
        "Another price is for those who subscribe from now on; the others keep theirs. What it includes is for all."
      }
      change={(values, edit, opened) =>
        got(api.PATCH("/packages/{id}/plans/{planId}", { params, body: edit(bodyOf(values, opened)) }))
      }
      touches={TOUCHES}
      said="Plan updated"
    />
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <Group grow align="flex-start">
      <TextInput label="Name" withAsterisk autoComplete="off" dir="auto" {...form.getInputProps("name")} />
      <TextInput
        label="Code"
        description="A name for the API; it is unique."
        autoComplete="off"
        {...form.getInputProps("code")}
      />
    </Group>
    <PriceFields
      form={form}
      fee={
        <MoneyInput
          label="Set-up fee"
          currency={form.values.currency}
          description="Once, with the first charge."
          {...form.getInputProps("setupFee")}
        />
      }
    />
    <Quantity form={form} />
    <Terms form={form} />
    <FeatureFields form={form} />
  </>
);

const Quantity = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset
    legend="By quantity"
    about="With tiers the price above is due besides them, whatever the quantity; it may be 0."
  >
    <TierFields form={form} currency={form.values.currency} />
    <MoneyInput
      label="Minimum"
      currency={form.values.currency}
      description="The least that the quantity costs in a full period. Left empty, there is none."
      {...form.getInputProps("minimumAmount")}
    />
  </Fieldset>
);

const Terms = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="How it runs and is sold">
    <Group grow align="flex-start">
      <WholeInput label="Days of trial" min={0} max={731} {...form.getInputProps("trialDays")} />
      <WholeInput
        label="Ends after so many periods"
        description="Left empty, it goes on."
        max={1000}
        {...form.getInputProps("cycles")}
      />
    </Group>
    <NativeSelect
      label="On the checkout page"
      data={[
        { value: "none", label: "It is sold" },
        { value: "contact_us", label: "Customers are asked to write" },
        { value: "link", label: "Customers are led to a link" },
      ]}
      {...form.getInputProps("callToAction")}
    />
    {form.values.callToAction !== "none" && (
      <TextInput label="Link" type="url" autoComplete="off" {...form.getInputProps("callToActionUrl")} />
    )}
    <Switch
      label="Enabled"
      description="Nobody can subscribe to a disabled plan; those who have it keep it."
      {...form.getInputProps("enabled", { type: "checkbox" })}
    />
  </Fieldset>
);
