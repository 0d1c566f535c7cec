import { ActionIcon, Button, NativeSelect, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { Fieldset, type FormOf, WholeInput } from "../../components/form.tsx";
import { Icon } from "../../components/icon.tsx";

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
  const field = (index: number, name: keyof TypedFeature) => form.getInputProps(`features.${index}.${name}`);
  return (
    <Fieldset
      legend="What it includes"
      about="Your software asks what a customer may use, by these keys. A change is for all who have the plan."
    >
      {form.values.features.map((feature, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new features have no id, and their fields are controlled
        <div key={index} className="tefo-line tefo-item">
          <TextInput label="Key" autoComplete="off" maxLength={100} {...field(index, "key")} />
          <NativeSelect
            label="Included"
            data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
            {...field(index, "type")}
          />
          {feature.type === "limit" && <WholeInput label="Limit" min={0} {...field(index, "value")} />}
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            mt={25}
            aria-label={`Remove feature ${index + 1}`}
            onClick={() => form.removeListItem("features", index)}
          >
            <Icon name="cross" size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => form.insertListItem("features", NEW as never)}
        style={{ alignSelf: "flex-start" }}
      >
        Add a feature
      </Button>
    </Fieldset>
  );
}
