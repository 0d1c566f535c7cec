import { Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { editing, type FormOf, MoneyInput } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { TierFields, TierLines } from "../../components/tier-fields.tsx";
import { Money, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { ITEM_RULES, type ItemValues, isTiered, itemOf, MinimumInput, NEW_ITEM, typedItem } from "./item-fields.tsx";
import { hasEnded, TOUCHES } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;
type Item = Shape<"SubscriptionItem">;

const KINDS: Readonly<Record<Item["kind"], string>> = {
  addon: "Add-on, each period",
  metered: "By usage",
  one_time: "Once, on the next invoice",
};

/** Add-ons, usage and one-time charges of a subscription, with the actions on each. */
export function Items({ id, subscription }: { readonly id: string; readonly subscription: Subscription }) {
  const { items, currency } = subscription;
  const open = !hasEnded(subscription);
  return (
    <Section title="Add-ons and usage" actions={open && <AddItem id={id} subscription={subscription} />}>
      <Rows
        label="Add-ons and usage"
        items={items}
        keyOf={(item) => item.id}
        none="No add-ons"
        columns={[
          { label: "Description", cell: ({ description }) => <Words of={description} /> },
          { label: "Code", cell: ({ code }) => <Words of={code} /> },
          { label: "Type", cell: ({ kind }) => KINDS[kind] },
          { label: "Quantity", figures: true, cell: ({ quantity }) => quantity },
          {
            label: "Unit price",
            figures: true,
            cell: (item) => (
              <>
                {item.tiers ? null : <Money amount={item.unitAmount} currency={currency} />}
                <TierLines of={item} currency={currency} />
              </>
            ),
          },
          {
            label: "Minimum",
            figures: true,
            cell: ({ minimumAmount }) => minimumAmount && <Money amount={minimumAmount} currency={currency} />,
          },
          ...(open
            ? [{ label: "Actions", cell: (item: Item) => <ItemActions id={id} item={item} currency={currency} /> }]
            : []),
        ]}
      />
    </Section>
  );
}

function AddItem({ id, subscription }: { readonly id: string; readonly subscription: Subscription }) {
  const { currency, collectedByService } = subscription;
  const kinds = collectedByService ? Object.entries(KINDS) : [["addon", KINDS.addon] as const];
  return (
    <MoneyAction
      label="Add an item"
      title="Add an item"
      permission="subscriptions:write"
      initial={NEW_ITEM}
      check={ITEM_RULES}
      fields={(form) => (
        <>
          <NativeSelect
            label="Type"
            data={kinds.map(([value, label]) => ({ value, label }))}
            {...form.getInputProps("kind")}
          />
          {itemFields(form, currency)}
          <TextInput
            label="Code"
            description="A name for the API."
            autoComplete="off"
            {...form.getInputProps("code")}
          />
        </>
      )}
      what={(values) => added(values, currency)}
      send={(values, keyFor) => {
        const body = itemOf(values);
        const params = { path: { id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/customer-subscriptions/{id}/items", { params, body }));
      }}
      touches={TOUCHES}
      said={() => "Item added"}
      button={{ size: "xs", variant: "default" }}
    />
  );
}

function added(item: ItemValues, currency: string): string {
  const { kind, unitAmount, quantity, minimumAmount } = item;
  if (isTiered(item))
    return kind === "metered"
      ? "Each bill of a period counts what was used, by its tiers."
      : "Each bill of a period counts the quantity by its tiers, from the next one on.";
  if (unitAmount === "") return "Nothing, until a price is given.";
  const least = kind === "one_time" ? 0 : Number(minimumAmount);
  const minimum = least > 0 ? `, and is at least ${formatMoney(least, currency)}` : "";
  if (kind === "metered")
    return `Each bill of a period counts what was used, at ${formatMoney(Number(unitAmount), currency)} each${minimum}.`;
  const amount = formatMoney(Math.max(least, Number(unitAmount) * Number(quantity)), currency);
  return kind === "addon"
    ? `Each bill of a period is ${amount} higher, from the next one on.`
    : `The next invoice of a period is ${amount} higher, once.`;
}

const itemFields = (form: FormOf<ItemValues>, currency: string) => (
  <>
    <TextInput
      label="Description"
      withAsterisk
      autoComplete="off"
      dir="auto"
      maxLength={500}
      {...form.getInputProps("description")}
    />
    <Group grow align="flex-start">
      {!isTiered(form.values) && (
        <MoneyInput
          label="Unit price"
          withAsterisk
          allowNegative
          currency={currency}
          {...form.getInputProps("unitAmount")}
        />
      )}
      {form.values.kind !== "metered" && (
        <NumberInput label="Quantity" min={0} decimalScale={6} hideControls {...form.getInputProps("quantity")} />
      )}
      {form.values.kind !== "one_time" && <MinimumInput form={form} currency={currency} />}
    </Group>
    {form.values.kind !== "one_time" && <TierFields form={form} currency={currency} />}
  </>
);

const ItemActions = (props: { readonly id: string; readonly item: Item; readonly currency: string }) => (
  <Group gap="xs" justify="flex-end">
    {props.item.kind === "metered" && <Usage {...props} />}
    <ChangeItem {...props} />
    <RemoveItem {...props} />
  </Group>
);

const Usage = ({ id, item }: { readonly id: string; readonly item: Item }) => (
  <MoneyAction
    label="Record usage"
    title={`Record what was used of ${item.description}`}
    permission="subscriptions:write"
    initial={{ quantity: "" as number | string, action: "increment" as "increment" | "set" }}
    check={{ quantity: (value) => (value === "" ? "Enter a quantity" : null) }}
    fields={(form) => (
      <>
        <NumberInput
          label="Quantity"
          min={0}
          decimalScale={6}
          hideControls
          data-autofocus
          {...form.getInputProps("quantity")}
        />
        <NativeSelect
          label="How"
          data={[
            { value: "increment", label: "Add usage" },
            { value: "set", label: "Set total usage" },
          ]}
          {...form.getInputProps("action")}
        />
      </>
    )}
    what={({ quantity, action }) =>
      `${item.quantity} was used so far; afterwards it is ${action === "set" ? Number(quantity) : item.quantity + Number(quantity)}. The next invoice of a period counts it.`
    }
    send={({ quantity, action }, keyFor) => {
      const body = { quantity: Number(quantity), action };
      const params = { path: { id, item: item.id }, header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/customer-subscriptions/{id}/items/{item}/usage", { params, body }));
    }}
    touches={TOUCHES}
    said={() => "Usage recorded"}
    button={{ size: "xs", variant: "default" }}
  />
);

const ChangeItem = ({
  id,
  item,
  currency,
}: {
  readonly id: string;
  readonly item: Item;
  readonly currency: string;
}) => {
  return (
    <MoneyAction
      label="Edit"
      title={`Change ${item.description}`}
      permission="subscriptions:write"
      initial={typedItem(item)}
      edits={editing(item, typedItem)}
      check={ITEM_RULES}
      fields={(form) => itemFields(form, currency)}
      what={(values) => added(values, currency)}
      send={(values, _keyFor, edit) => {
        const { code: _code, kind: _kind, ...changed } = itemOf(values);
        const body = edit(changed);
        const params = { path: { id, item: item.id } };
        return got(api.PATCH("/customer-subscriptions/{id}/items/{item}", { params, body }));
      }}
      touches={TOUCHES}
      said={() => "Item updated"}
      button={{ size: "xs", variant: "default" }}
    />
  );
};

const RemoveItem = ({ id, item }: { readonly id: string; readonly item: Item }) => (
  <MoneyAction
    label="Remove"
    title={`Remove ${item.description}`}
    permission="subscriptions:write"
    initial={{}}
    danger
    what={() =>
      item.kind === "metered"
        ? `What was used, ${item.quantity}, is billed with the next invoice; nothing after it.`
        : "The next invoice of a period is without it."
    }
    send={() =>
      got(api.DELETE("/customer-subscriptions/{id}/items/{item}", { params: { path: { id, item: item.id } } }))
    }
    touches={TOUCHES}
    said={() => "Item removed"}
    button={{ size: "xs" }}
  />
);
