import { ActionIcon, Button, NumberInput, TextInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { formatMoney } from "../lib/money.ts";
import { Fieldset, MoneyInput } from "./form.tsx";
import { Icon } from "./icon.tsx";

/** A line of an invoice or quote while it is typed; an empty field is an empty text. */
export interface Line {
  description: string;
  quantity: number | string;
  unitPrice: number | string;
  taxRate: number | string;
  /** What the form does not show, and a change must not lose. */
  readonly kept?: {
    readonly details: string | null;
    readonly periodStart: string | null;
    readonly periodEnd: string | null;
  };
}

/** An empty line at the organisation's VAT rate, in percent. */
export const newLine = (taxRate: number): Line => ({ description: "", quantity: 1, unitPrice: "", taxRate });

/** The lines as the API takes them. */
export const lineBodies = (lines: readonly Line[]) =>
  lines.map(({ description, quantity, unitPrice, taxRate, kept }) => ({
    ...kept,
    description,
    quantity: Number(quantity),
    unitPrice: Number(unitPrice),
    taxRate: Number(taxRate),
  }));

/** What is wrong with a line before it is sent. */
export const LINE_CHECK = {
  description: (value: string) => (value.trim() ? null : "Say what is charged."),
  quantity: (value: number | string) => (Number(value) > 0 ? null : "More than nothing."),
  unitPrice: (value: number | string) => (value === "" ? "Give the price." : null),
};

interface LineItemsProps {
  readonly lines: readonly Line[];
  /** The props of the field at a path within the lines, such as `0.quantity`. */
  field(path: string): GetInputPropsReturnType;
  add(): void;
  remove(index: number): void;
}

/** The lines of a form. */
export const LineItems = (props: LineItemsProps) => (
  <Fieldset legend="Lines">
    {props.lines.map((_line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and their fields are controlled
      <LineFields key={index} {...props} index={index} />
    ))}
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="plus" size={14} />}
      onClick={props.add}
      style={{ alignSelf: "flex-start" }}
    >
      Add a line
    </Button>
  </Fieldset>
);

const LineFields = ({ lines, field, remove, index }: LineItemsProps & { readonly index: number }) => (
  <div className="tefo-line">
    <TextInput label="What" dir="auto" autoComplete="off" {...field(`${index}.description`)} />
    <NumberInput label="Quantity" min={0} decimalScale={6} hideControls {...field(`${index}.quantity`)} />
    <MoneyInput label="Price each" {...field(`${index}.unitPrice`)} />
    <NumberInput
      label="VAT"
      suffix=" %"
      min={0}
      max={100}
      decimalScale={2}
      hideControls
      {...field(`${index}.taxRate`)}
    />
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      mt={25}
      aria-label={`Remove line ${index + 1}`}
      disabled={lines.length === 1}
      onClick={() => remove(index)}
    >
      <Icon name="cross" size={16} />
    </ActionIcon>
  </div>
);

/** What the lines add up to, as a guide while they are typed; the API computes the document's own figures. `inclusive`: prices hold the VAT. */
export function LineTotal({ lines, inclusive }: { readonly lines: readonly Line[]; readonly inclusive: boolean }) {
  const cents = lines.map(({ quantity, unitPrice, taxRate }) => {
    const net = Math.round(Number(quantity) * Number(unitPrice) * 100);
    return net + (inclusive ? 0 : Math.round((net * Number(taxRate)) / 100));
  });
  const total = cents.reduce((sum, line) => sum + line, 0) / 100;
  return (
    <output>
      <span className="tefo-quiet">Total with VAT</span>
      <div className="tefo-figure tefo-figures">{formatMoney(Number.isFinite(total) ? total : 0, "ZAR")}</div>
    </output>
  );
}
