import { NativeSelect, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { FieldRows } from "../../components/field-rows.tsx";
import { Fieldset, type FormOf, WholeInput } from "../../components/form.tsx";

type Feature = Shape<"PlanFeature">;

const TYPES = { on: "Included", off: "Not included", limit: "Up to", unlimited: "Without limit" } as const;

/** A feature of a plan during input; `value` is of one with a limit. */
export interface TypedFeature {
  key: string;
  type: keyof typeof TYPES;
  value: number | string;
}

const NEW: TypedFeature = { key: "", type: "on", value: "" };

/** A feature of the API in a form. */
export const typedFeature = ({ key, type, value }: Feature): TypedFeature =>
  type === "boolean"
    ? { key, type: value ? "on" : "off", value: "" }
    : { key, type: value === null ? "unlimited" : "limit", value: typeof value === "number" ? value : "" };

/** Features of a form in the API's form. */
export const featuresOf = (features: readonly TypedFeature[]) =>
  features.map(({ key, type, value }) =>
    type === "on" || type === "off"
      ? ({ key: key.trim(), type: "boolean", value: type === "on" } as const)
      : ({ key: key.trim(), type: "limit", value: type === "unlimited" ? null : Number(value) } as const),
  );

/** A feature in words, such as `seats: up to 10`. */
export function featureInWords(feature: Pick<Feature, "type" | "value">): string {
  const { type, value } = typedFeature({ key: "", ...feature });
  return type === "limit" ? `${TYPES.limit} ${value}` : TYPES[type];
}

/** What a plan includes, within a form whose values hold `features`. */
export function FeatureFields<Values extends { features: TypedFeature[] }>({
  form,
}: {
  readonly form: FormOf<Values>;
}) {
  return (
    <Fieldset
      legend="What it includes"
      about="Your software asks what a customer may use, by these keys. A change is for all who have the plan."
    >
      <FieldRows form={form} name="features" noun="feature" fresh={NEW}>
        {(feature: TypedFeature, field) => (
          <>
            <TextInput label="Key" autoComplete="off" maxLength={100} {...field("key")} />
            <NativeSelect
              label="Included"
              data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
              {...field("type")}
            />
            {feature.type === "limit" && <WholeInput label="Limit" min={0} {...field("value")} />}
          </>
        )}
      </FieldRows>
    </Fieldset>
  );
}
