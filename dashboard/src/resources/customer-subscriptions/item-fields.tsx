import { NativeSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../api/client.ts";
import { FieldRows } from "../../components/field-rows.tsx";
import { Fieldset, type FieldsOf, type FormOf, MoneyInput, partOf } from "../../components/form.tsx";
import { TierFields } from "../../components/tier-fields.tsx";
import { areTyped, NO_TIERS, type TypedTiers, tiersOf, typedTiers } from "../../lib/tiers.ts";
import { textOrNull } from "../../lib/values.ts";

type Item = Shape<"SubscriptionItem">;
type Kind = Item["kind"];

/** An item in a form. */
export interface ItemValues extends TypedTiers {
  code: string;
  kind: Kind;
  description: string;
  unitAmount: number | string;
  quantity: number | string;
  minimumAmount: number | string;
  /** How a metered item counts usage events, which forms keep and do not change. */
  counting: Pick<Item, "aggregation" | "uniqueBy">;
}

/** A new item in a form. */
export const NEW_ITEM: ItemValues = {
  ...{ code: "", kind: "addon", description: "", unitAmount: "", quantity: 1, minimumAmount: "", counting: {} },
  ...NO_TIERS,
};

/** An item of the API in a form. */
export const typedItem = (item: Item): ItemValues => ({
  code: item.code ?? "",
  kind: item.kind,
  description: item.description,
  unitAmount: item.unitAmount,
  quantity: item.quantity,
  minimumAmount: item.minimumAmount ?? "",
  counting: {
    ...(item.aggregation && { aggregation: item.aggregation }),
    ...(item.uniqueBy && { uniqueBy: item.uniqueBy }),
  },
  ...typedTiers(item),
});

/** Whether tiers have the prices of an item, which has no unit price then. */
export const isTiered = ({ kind, tierMode }: Pick<ItemValues, "kind" | "tierMode">): boolean =>
  kind !== "one_time" && tierMode !== "";

/** An item of a form in the API's form. */
export const itemOf = ({
  code,
  kind,
  description,
  unitAmount,
  quantity,
  minimumAmount,
  counting,
  ...tiers
}: ItemValues) => ({
  code: textOrNull(code),
  kind,
  description: description.trim(),
  unitAmount: isTiered({ kind, ...tiers }) ? 0 : Number(unitAmount),
  ...(kind === "metered" ? counting : { quantity: Number(quantity) }),
  ...(kind === "one_time" ? {} : { ...tiersOf(tiers), minimumAmount: Number(minimumAmount) }),
});

/** Whether an item has all that the API needs for a preview. */
export const isComplete = (item: ItemValues): boolean =>
  item.description.trim() !== "" && (isTiered(item) ? areTyped(item) : item.unitAmount !== "");

/** What a preview waits for, as the beginning of a sentence. */
export const INCOMPLETE_ITEMS = "Give each item its description and prices";

type Checked = ItemValues | { readonly items: readonly ItemValues[] };

/** The item that a rule is about: the form's values, or the one of its `items` that the path names. */
const itemAt = (values: Checked, path: string): ItemValues | undefined =>
  "items" in values ? values.items[Number(path.split(".")[1])] : values;

/** What an item must have, as rules of a form that is an item, or that holds `items`. */
export const ITEM_RULES = {
  description: (value: string) => (value.trim() ? null : "Enter a description"),
  unitAmount: (value: number | string, values: Checked, path: string) => {
    const item = itemAt(values, path);
    return value === "" && item && !isTiered(item) ? "Enter a price" : null;
  },
  quantity: (value: number | string, values: Checked, path: string) =>
    value === "" && itemAt(values, path)?.kind !== "metered" ? "Enter a quantity" : null,
  tiers: {
    unitAmount: (value: number | string, values: Checked, path: string) => {
      const item = itemAt(values, path);
      return value === "" && item && isTiered(item) ? "Enter a price" : null;
    },
  },
};

const LABELS = { addon: "Each period", metered: "By usage", one_time: "Once" } as const;

/** The items of a subscription within a form whose values hold `items`. */
export function ItemFields<Values extends { items: ItemValues[] }>({
  form,
  currency,
  kinds = ["addon", "metered", "one_time"],
}: {
  readonly form: FormOf<Values>;
  readonly currency: string;
  readonly kinds?: readonly Kind[];
}) {
  return (
    <Fieldset legend="Add-ons and usage">
      <FieldRows
        form={form}
        name="items"
        noun="item"
        fresh={NEW_ITEM}
        below={(item: ItemValues, index) =>
          item.kind !== "one_time" && (
            <Tiering form={partOf(form, `items.${index}`, item)} currency={currency} number={index + 1} />
          )
        }
      >
        {(item: ItemValues, field) => (
          <>
            <TextInput label="Description" dir="auto" autoComplete="off" maxLength={500} {...field("description")} />
            <NativeSelect
              label="Charged"
              data={kinds.map((value) => ({ value, label: LABELS[value] }))}
              {...field("kind")}
            />
            {!isTiered(item) && (
              <MoneyInput label="Unit price" allowNegative currency={currency} {...field("unitAmount")} />
            )}
            <NumberInput
              label="Quantity"
              min={0}
              decimalScale={6}
              hideControls
              disabled={item.kind === "metered"}
              {...field("quantity")}
            />
          </>
        )}
      </FieldRows>
    </Fieldset>
  );
}

/** The fields that few items need; open from the beginning where an item has some of them, and while a tier lacks its price. */
function Tiering({
  form,
  currency,
  number,
}: {
  readonly form: FieldsOf<ItemValues>;
  readonly currency: string;
  readonly number: number;
}) {
  const { tierMode, includedUnits, minimumAmount } = form.values;
  const lacking = !areTyped(form.values);
  const [open, setOpen] = useState([tierMode, includedUnits, minimumAmount].some((value) => value !== ""));
  return (
    <details
      className="tefo-raw tefo-within"
      open={open || lacking}
      onToggle={({ currentTarget: details }) => {
        details.open ||= lacking;
        setOpen(details.open);
      }}
    >
      <summary>Tiers, included units and minimum of item {number}</summary>
      <Stack gap="md">
        <TierFields form={form} currency={currency} />
        <MinimumInput form={form} currency={currency} />
      </Stack>
    </details>
  );
}

/** The field for the least that an item costs in a period. */
export const MinimumInput = ({
  form,
  currency,
}: {
  readonly form: FieldsOf<ItemValues>;
  readonly currency: string;
}) => (
  <MoneyInput
    label="Minimum"
    description="Of a full period."
    currency={currency}
    {...form.getInputProps("minimumAmount")}
  />
);
