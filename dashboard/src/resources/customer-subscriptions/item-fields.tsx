import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { FieldRows } from "../../components/field-rows.tsx";
import { Fieldset, type FormOf, MoneyInput } from "../../components/form.tsx";
import { textOrNull } from "../../lib/values.ts";

type Kind = Shape<"SubscriptionItem">["kind"];

/** An item in a form. */
export interface ItemValues {
  code: string;
  kind: Kind;
  description: string;
  unitAmount: number | string;
  quantity: number | string;
}

/** Items in the API's form. */
export const itemsOf = (items: readonly ItemValues[]) =>
  items.map(({ code, kind, description, unitAmount, quantity }) => ({
    code: textOrNull(code),
    kind,
    description: description.trim(),
    unitAmount: Number(unitAmount),
    ...(kind === "metered" ? {} : { quantity: Number(quantity) }),
  }));

const LABELS = { addon: "Each period", metered: "By usage", one_time: "Once" } as const;
const NEW: ItemValues = { code: "", kind: "addon", description: "", unitAmount: "", quantity: 1 };

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
      <FieldRows form={form} name="items" noun="item" fresh={NEW}>
        {(item: ItemValues, field) => (
          <>
            <TextInput label="Description" dir="auto" autoComplete="off" maxLength={500} {...field("description")} />
            <NativeSelect
              label="Charged"
              data={kinds.map((value) => ({ value, label: LABELS[value] }))}
              {...field("kind")}
            />
            <MoneyInput label="Unit price" allowNegative currency={currency} {...field("unitAmount")} />
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
