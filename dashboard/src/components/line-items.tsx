import { ActionIcon, Button, NumberInput, TextInput } from "@mantine/core";
import type { GetInputPropsOptions, GetInputPropsReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { formatMoney } from "../lib/money.ts";
import { type TypedVat, vatOf } from "../lib/vat.ts";
import { Fieldset, MoneyInput } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { VatFields } from "./vat-fields.tsx";

/** A line of an invoice or quote during input; an empty field is an empty text. */
export interface Line extends TypedVat {
  description: string;
  quantity: number | string;
  unitPrice: number | string;
  /** Fields that the form does not show, and a change must not lose. */
  readonly kept?: {
    readonly details: string | null;
    readonly periodStart: string | null;
    readonly periodEnd: string | null;
  };
}

/** An empty line at the organisation's VAT rate, in percent. */
export const newLine = (taxRate: number): Line => ({
  description: "",
  quantity: 1,
  unitPrice: "",
  taxRate,
  taxExempt: false,
});

/** The lines in the API's form. */
export const lineBodies = (lines: readonly Line[]) =>
  lines.map(({ description, quantity, unitPrice, kept, ...vat }) => ({
    ...kept,
    description,
    quantity: Number(quantity),
    unitPrice: Number(unitPrice),
    ...vatOf(vat),
  }));

/** Faults of a line before it is sent. */
export const LINE_CHECK = {
  description: (value: string) => (value.trim() ? null : "Enter a description"),
  quantity: (value: number | string) => (Number(value) > 0 ? null : "Enter a quantity above 0"),
  unitPrice: (value: number | string) => (value === "" ? "Enter a price" : null),
};

/** Lines during input, and the functions of their form. */
export interface LineRowsProps<L> {
  readonly lines: readonly L[];
  /** The props of the field at a path within the lines, such as `0.quantity`. */
  field(path: string, options?: GetInputPropsOptions): GetInputPropsReturnType;
  add(): void;
  remove(index: number): void;
}

/** The lines of a form: the fields of each between its description and its VAT, and buttons to add and to remove one. */
export const LineRows = <L extends TypedVat>({
  lines,
  about,
  field,
  described,
  amounts,
  add,
  remove,
}: LineRowsProps<L> & {
  readonly about?: string;
  /** The text below the description of a line. */
  described?(line: L): string | undefined;
  /** The fields of a line's amount. */
  amounts(index: number): ReactNode;
}) => (
  <Fieldset legend="Lines" {...(about !== undefined && { about })}>
    {lines.map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and their fields are controlled
      <div className="tefo-line" key={index}>
        <TextInput
          label="Description"
          description={described?.(line)}
          dir="auto"
          autoComplete="off"
          {...field(`${index}.description`)}
        />
        {amounts(index)}
        <VatFields exempt={line.taxExempt} field={(name, options) => field(`${index}.${name}`, options)} />
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
    ))}
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="plus" size={14} />}
      onClick={add}
      style={{ alignSelf: "flex-start" }}
    >
      Add a line
    </Button>
  </Fieldset>
);

/** The lines of an invoice or quote. `inclusive`: their prices include VAT. */
export const LineItems = ({ inclusive, ...props }: LineRowsProps<Line> & { readonly inclusive: boolean }) => (
  <LineRows
    {...props}
    amounts={(index) => (
      <>
        <NumberInput label="Quantity" min={0} decimalScale={6} hideControls {...props.field(`${index}.quantity`)} />
        <MoneyInput label={`Unit price ${inclusive ? "incl." : "excl."} VAT`} {...props.field(`${index}.unitPrice`)} />
      </>
    )}
  />
);

/** The totals of the lines, as a guide during input; the API computes the document's own figures. `inclusive`: prices include VAT. */
export function LineTotal({ lines, inclusive }: { readonly lines: readonly Line[]; readonly inclusive: boolean }) {
  const cents = lines.map(({ quantity, unitPrice, ...vat }) => {
    const net = Math.round(Number(quantity) * Number(unitPrice) * 100);
    return net + (inclusive ? 0 : Math.round((net * vatOf(vat).taxRate) / 100));
  });
  const total = cents.reduce((sum, line) => sum + line, 0) / 100;
  return (
    <output>
      <span className="tefo-quiet">Total incl. VAT</span>
      <div className="tefo-figure tefo-figures">{formatMoney(Number.isFinite(total) ? total : 0, "ZAR")}</div>
    </output>
  );
}
