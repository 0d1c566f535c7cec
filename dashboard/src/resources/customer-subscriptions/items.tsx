import { Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { editing, type FormOf, MoneyInput } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { TierFields, TierLines } from "../../components/tier-fields.tsx";
import { Money, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { NO_TIERS, type TypedTiers, tiersOf, typedTiers } from "../../lib/tiers.ts";
import { textOrNull } from "../../lib/values.ts";
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

interface Values extends TypedTiers {
  kind: Item["kind"];
  code: string;
  description: string;
  unitAmount: number | string;
  quantity: number | string;
  minimumAmount: number | string;
}

const CHECK = {
  description: (value: string) => (value.trim() ? null : "Enter a description"),
  unitAmount: (value: number | string, { tierMode }: Values) =>
    value === "" && tierMode === "" ? "Enter a price" : null,
  quantity: (value: number | string) => (value === "" ? "Enter a quantity" : null),
};

function AddItem({ id, subscription }: { readonly id: string; readonly subscription: Subscription }) {
  const { currency, collectedByService } = subscription;
  const kinds = collectedByService ? Object.entries(KINDS) : [["addon", KINDS.addon] as const];
  const initial: Values = {
    ...{ kind: "addon", code: "", description: "", unitAmount: "", quantity: 1, minimumAmount: "" },
    ...NO_TIERS,
  };
  return (
    <MoneyAction
      label="Add an item"
      title="Add an item"
      permission="subscriptions:write"
      initial={initial}
      check={CHECK}
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
      send={({ kind, code, description, quantity, minimumAmount, ...values }, keyFor) => {
        const body = {
          kind,
          code: textOrNull(code),
          description: description.trim(),
          ...unitPriceOf(kind, values),
          ...(kind === "metered" ? {} : { quantity: Number(quantity) }),
          ...(kind === "one_time" || !minimumAmount ? {} : { minimumAmount: Number(minimumAmount) }),
        };
        const params = { path: { id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/customer-subscriptions/{id}/items", { params, body }));
      }}
      touches={TOUCHES}
      said={() => "Item added"}
      button={{ size: "xs", variant: "default" }}
    />
  );
}

/** The price of a unit, or the tiers, in the API's form. */
const unitPriceOf = (kind: Item["kind"], { unitAmount, ...tiers }: TypedTiers & Pick<Values, "unitAmount">) =>
  kind === "one_time"
    ? { unitAmount: Number(unitAmount) }
    : { unitAmount: tiers.tierMode === "" ? Number(unitAmount) : 0, ...tiersOf(tiers) };

function added({ kind, unitAmount, quantity, minimumAmount, tierMode }: Values, currency: string): string {
  if (tierMode !== "" && kind !== "one_time")
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

const itemFields = (form: FormOf<Values>, currency: string) => (
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
      {(form.values.tierMode === "" || form.values.kind === "one_time") && (
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
      {form.values.kind !== "one_time" && (
        <MoneyInput
          label="Minimum"
          description="Of a full period."
          currency={currency}
          {...form.getInputProps("minimumAmount")}
        />
      )}
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
    check={{ quantity: CHECK.quantity }}
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

const valuesOf = (item: Item): Values => ({
  ...item,
  ...typedTiers(item),
  code: item.code ?? "",
  minimumAmount: item.minimumAmount ?? "",
});

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
      initial={valuesOf(item)}
      edits={editing(item, valuesOf)}
      check={CHECK}
      fields={(form) => itemFields(form, currency)}
      what={(values) => added(values, currency)}
      send={({ description, quantity, minimumAmount, ...values }, _keyFor, edit) => {
        const body = edit({
          description: description.trim(),
          ...unitPriceOf(item.kind, values),
          ...(item.kind === "metered" ? {} : { quantity: Number(quantity) }),
          ...(item.kind === "one_time" ? {} : { minimumAmount: Number(minimumAmount) }),
        });
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
