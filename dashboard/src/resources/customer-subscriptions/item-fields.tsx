import { ActionIcon, Button, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { Fieldset, type FormOf, MoneyInput } from "../../components/form.tsx";
import { Icon } from "../../components/icon.tsx";
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
  const field = (index: number, name: keyof ItemValues) => form.getInputProps(`items.${index}.${name}`);
  return (
    <Fieldset legend="Add-ons and usage">
      {form.values.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new items have no id, and their fields are controlled
        <div key={index} className="tefo-line tefo-item">
          <TextInput
            label="Description"
            dir="auto"
            autoComplete="off"
            maxLength={500}
            {...field(index, "description")}
          />
          <NativeSelect
            label="Charged"
            data={kinds.map((value) => ({ value, label: LABELS[value] }))}
            {...field(index, "kind")}
          />
          <MoneyInput label="Unit price" allowNegative currency={currency} {...field(index, "unitAmount")} />
          <NumberInput
            label="Quantity"
            min={0}
            decimalScale={6}
            hideControls
            disabled={item.kind === "metered"}
            {...field(index, "quantity")}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            mt={25}
            aria-label={`Remove item ${index + 1}`}
            onClick={() => form.removeListItem("items", index)}
          >
            <Icon name="cross" size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => form.insertListItem("items", NEW as never)}
        style={{ alignSelf: "flex-start" }}
      >
        Add an item
      </Button>
    </Fieldset>
  );
}
