import type { Discount } from "../lib/document-totals.ts";
import { formatMoney } from "../lib/money.ts";
import { vatInWords } from "../lib/vat.ts";
import { Rows, Section } from "./resource-page.tsx";
import { Money, Words } from "./values.tsx";

interface DocumentLine {
  readonly description: string;
  readonly details?: string | null;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly taxRate: number;
  readonly taxExempt?: true;
  readonly discount?: Discount;
  readonly amount: number;
}

/** `Discount 10 %`, or `Discount R 25.00`. */
const discountInWords = (discount: Discount, currency: string): string =>
  `Discount ${"percent" in discount ? `${discount.percent} %` : formatMoney(discount.amount, currency)}`;

/** The lines of an invoice or quote, with their discounts and totals. */
export const DocumentLines = ({
  lines,
  of: { discount, discountTotal, subtotal, taxAmount, total, depositAmount, currency },
}: {
  readonly lines: readonly DocumentLine[];
  readonly of: {
    readonly discount?: Discount;
    readonly discountTotal?: number;
    readonly subtotal: number;
    readonly taxAmount: number;
    readonly total: number;
    readonly depositAmount?: number;
    readonly currency: string;
  };
}) => (
  <Section title="Lines">
    <Rows
      label="Lines"
      items={lines}
      keyOf={(_line, index) => String(index)}
      none="No line."
      columns={[
        {
          label: "Description",
          cell: ({ description, details, discount: off }) => (
            <>
              <Words of={description} />
              {details && (
                <div className="tefo-quiet">
                  <Words of={details} />
                </div>
              )}
              {off && <div className="tefo-quiet">{discountInWords(off, currency)}</div>}
            </>
          ),
        },
        { label: "Quantity", figures: true, cell: ({ quantity }) => quantity },
        {
          label: "Unit price",
          figures: true,
          cell: ({ unitPrice }) => <Money amount={unitPrice} currency={currency} />,
        },
        { label: "VAT", figures: true, cell: (line) => vatInWords(line) },
        { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
      ]}
      foot={[
        ["Subtotal excl. VAT", <Money key="subtotal" amount={subtotal} currency={currency} />],
        ...(discountTotal
          ? [
              [
                `Includes discount${discount ? ` (${discountInWords(discount, currency).replace("Discount ", "")} on the whole)` : ""}`,
                <Money key="discount" amount={-discountTotal} currency={currency} />,
              ] as const,
            ]
          : []),
        ["VAT", <Money key="tax" amount={taxAmount} currency={currency} />],
        ["Total incl. VAT", <Money key="total" amount={total} currency={currency} />],
        ...(depositAmount
          ? [["Deposit due first", <Money key="deposit" amount={depositAmount} currency={currency} />] as const]
          : []),
      ]}
    />
  </Section>
);
