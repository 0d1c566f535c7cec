import { NativeSelect, NumberInput } from "@mantine/core";
import { NO_TIERS, TIER_MODES, type TypedTier, type TypedTiers, tiersInWords } from "../lib/tiers.ts";
import { FieldRows } from "./field-rows.tsx";
import { type FieldsOf, MoneyInput } from "./form.tsx";

const NEW: TypedTier = { upTo: "", unitAmount: "", flatAmount: "" };

/** How a price follows from a quantity, within a form whose values hold its tiers and included units. */
export function TierFields<Values extends TypedTiers>({
  form,
  currency,
}: {
  readonly form: FieldsOf<Values>;
  readonly currency: string;
}) {
  const { tierMode, tiers } = form.values as TypedTiers;
  const set = form.setFieldValue as (name: keyof TypedTiers, value: unknown) => void;
  return (
    <>
      <NativeSelect
        label="Price by quantity"
        data={Object.entries(TIER_MODES).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("tierMode")}
        onChange={({ currentTarget: { value } }) => {
          set("tierMode", value);
          if (value === "") set("tiers", NO_TIERS.tiers);
          else if (value === "package") set("tiers", tiers.length > 0 ? tiers.slice(0, 1) : [NEW]);
          else if (tiers.length === 0) set("tiers", [NEW]);
        }}
      />
      {tierMode !== "" && (
        <FieldRows
          form={form}
          name="tiers"
          noun="tier"
          fresh={NEW}
          keepsFirst
          limit={tierMode === "package" ? 1 : undefined}
        >
          {(_tier, field) => (
            <>
              <NumberInput
                label={tierMode === "package" ? "Units in a package" : "Up to unit"}
                description={tierMode === "package" ? undefined : "Left empty: no end."}
                min={0}
                decimalScale={6}
                hideControls
                {...field("upTo")}
              />
              <MoneyInput
                label={tierMode === "package" ? "Price of a package" : "Price of a unit"}
                currency={currency}
                decimals={6}
                {...field("unitAmount")}
              />
              <MoneyInput label="Plus, once" currency={currency} {...field("flatAmount")} />
            </>
          )}
        </FieldRows>
      )}
      <NumberInput
        label="Included units"
        description="Free of charge in each period. Tiers count the others."
        min={0}
        decimalScale={6}
        hideControls
        {...form.getInputProps("includedUnits")}
      />
    </>
  );
}

/** The tiers of a price as lines of text, beneath its amount. */
export const TierLines = ({
  of,
  currency,
}: {
  readonly of: Parameters<typeof tiersInWords>[0];
  readonly currency: string;
}) =>
  tiersInWords(of, currency).map((line) => (
    <div key={line} className="tefo-quiet">
      {line}
    </div>
  ));
