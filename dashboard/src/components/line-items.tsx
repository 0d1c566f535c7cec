import { ActionIcon, Button, Group, NumberInput, TextInput } from "@mantine/core";
import type { GetInputPropsOptions, GetInputPropsReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import {
  type Discount,
  discountOf,
  documentTotals,
  NO_DISCOUNT,
  type TypedDiscount,
  typedDiscount,
} from "../lib/document-totals.ts";
import { formatMoney } from "../lib/money.ts";
import { type TypedVat, vatOf } from "../lib/vat.ts";
import { DiscountInput } from "./discount-input.tsx";
import { Fieldset, MoneyInput } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { ProductPicker } from "./product-picker.tsx";
import { VatFields, VatSelect } from "./vat-fields.tsx";

/** A line of an invoice or quote during input; an empty field is an empty text. */
export interface Line extends TypedVat, TypedDiscount {
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

/** The lines of a document and its discount during input. */
export interface TypedLines {
  readonly lines: readonly Line[];
  readonly discount: TypedDiscount;
}

/** An empty line at the organisation's VAT rate, in percent. */
export const newLine = (taxRate: number): Line => ({
  description: "",
  quantity: 1,
  unitPrice: "",
  ...NO_DISCOUNT,
  taxRate,
  taxExempt: false,
});

/** A line of the API in a form. */
export const typedLine = ({
  description,
  quantity,
  unitPrice,
  taxRate,
  taxExempt = false,
  discount,
  details = null,
  periodStart = null,
  periodEnd = null,
}: {
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly taxRate: number;
  readonly taxExempt?: boolean | undefined;
  readonly discount?: Discount | undefined;
  readonly details?: string | null | undefined;
  readonly periodStart?: string | null | undefined;
  readonly periodEnd?: string | null | undefined;
}): Line => ({
  description,
  quantity,
  unitPrice,
  taxRate,
  taxExempt,
  ...typedDiscount(discount),
  kept: { details, periodStart, periodEnd },
});

/** Whether something was typed into a line. */
export const isFilled = ({ description, unitPrice }: Line): boolean => description.trim() !== "" || unitPrice !== "";

/** The lines in the API's form. */
export const lineBodies = (lines: readonly Line[]) =>
  lines.map(({ description, quantity, unitPrice, kept, discount, discountIn, ...vat }) => ({
    ...kept,
    description,
    quantity: Number(quantity),
    unitPrice: Number(unitPrice),
    discount: discountOf({ discount, discountIn }),
    ...vatOf(vat),
  }));

/** Says, of a negative price, what takes something off. */
const USE_DISCOUNT = "A price cannot be negative. To take something off, use Discount";

/** The fault of a discount, or of what is typed like one, before it is sent; null without one. */
export function discountFault(
  value: number | string,
  discountIn: TypedDiscount["discountIn"],
  called = "a discount",
): string | null {
  if (value === "") return null;
  if (!(Number(value) > 0)) return `Enter ${called} above 0`;
  return discountIn === "percent" && Number(value) > 100 ? "Enter at most 100 %" : null;
}

/** Faults of a line before it is sent; `lines` is the name of the lines in the form. */
export const lineCheck = (lines: "lines" | "lineItems") => ({
  description: (value: string) => (value.trim() ? null : "Enter a description"),
  quantity: (value: number | string) => (Number(value) > 0 ? null : "Enter a quantity above 0"),
  unitPrice: (value: number | string) => {
    if (value === "") return "Enter a price";
    return Number(value) >= 0 ? null : USE_DISCOUNT;
  },
  discount: (
    value: number | string,
    values: { readonly [K in "lines" | "lineItems"]?: readonly Line[] },
    path: string,
  ) => discountFault(value, values[lines]?.[Number(path.split(".")[1])]?.discountIn ?? "percent"),
});

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
  standardRate,
  more,
}: LineRowsProps<L> & {
  readonly about?: string;
  /** In percent: VAT is a list then, else a rate and a mark. */
  readonly standardRate?: number;
  /** Beside the button that adds a line. */
  readonly more?: ReactNode;
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
        {standardRate === undefined ? (
          <VatFields exempt={line.taxExempt} field={(name, options) => field(`${index}.${name}`, options)} />
        ) : (
          <VatSelect standard={standardRate} of={line} field={(name, options) => field(`${index}.${name}`, options)} />
        )}
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
    <Group gap="sm" align="flex-end">
      <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={add}>
        Add a line
      </Button>
      {more}
    </Group>
  </Fieldset>
);

/** What lines of a document have in common: their basis, the standard rate of VAT in percent, and their currency. */
interface Terms {
  /** Whether prices include VAT. */
  readonly inclusive: boolean;
  readonly rate: number;
  readonly currency?: string;
}

/** The lines of an invoice or quote, each with its discount. `put` adds a line, in place of a last one that is empty. */
export const LineItems = ({
  inclusive,
  rate,
  currency = "ZAR",
  put,
  ...props
}: LineRowsProps<Line> & Terms & { put(line: Line): void }) => (
  <LineRows
    {...props}
    standardRate={rate}
    amounts={(index) => (
      <>
        <NumberInput label="Quantity" min={0} decimalScale={6} hideControls {...props.field(`${index}.quantity`)} />
        <MoneyInput
          label={`Unit price ${inclusive ? "incl." : "excl."} VAT`}
          currency={currency}
          decimals={6}
          below={USE_DISCOUNT}
          {...props.field(`${index}.unitPrice`)}
        />
        <DiscountInput
          label="Discount"
          about={`Discount of line ${index + 1}`}
          currency={currency}
          field={(name) => props.field(`${index}.${name}`)}
        />
      </>
    )}
    more={
      <ProductPicker
        inclusive={inclusive}
        currency={currency}
        pick={({ name, unitPrice, taxRate, taxExempt }) =>
          put({ ...newLine(rate), description: name, unitPrice, taxRate, taxExempt })
        }
      />
    }
  />
);

/** The totals of the lines during input, as the API computes them. */
export function LineTotal({
  lines,
  discount,
  inclusive,
  currency = "ZAR",
}: TypedLines & { readonly inclusive: boolean; readonly currency?: string }) {
  const { subtotal, discountTotal, tax, total } = documentTotals(
    lines.map(({ quantity, unitPrice, discount: off, discountIn, ...vat }) => ({
      quantity,
      unitPrice,
      taxRate: vatOf(vat).taxRate,
      discount: discountOf({ discount: off, discountIn }),
    })),
    { inclusive, discount: discountOf(discount), currency },
  );
  const money = (cents: number) => formatMoney(cents / 100, currency);
  return (
    <output className="tefo-totals">
      <Sum label="Subtotal excl. VAT" amount={money(subtotal)} />
      {discountTotal > 0 && (
        <Sum label={`Includes discount${inclusive ? " incl. VAT" : ""}`} amount={money(-discountTotal)} />
      )}
      <Sum label="VAT" amount={money(tax)} />
      <Sum label="Total incl. VAT" amount={money(total)} strong />
    </output>
  );
}

const Sum = ({
  label,
  amount,
  strong = false,
}: {
  readonly label: string;
  readonly amount: string;
  readonly strong?: boolean;
}) => (
  <span className="tefo-sum" data-strong={strong}>
    <span>{label}</span> <span className="tefo-figures">{amount}</span>
  </span>
);
