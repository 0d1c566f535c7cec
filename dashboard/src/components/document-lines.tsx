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
  readonly amount: number;
}

/** The lines of an invoice or quote, with their totals. */
export const DocumentLines = ({
  lines,
  of: { subtotal, taxAmount, total, currency },
}: {
  readonly lines: readonly DocumentLine[];
  readonly of: {
    readonly subtotal: number;
    readonly taxAmount: number;
    readonly total: number;
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
          cell: ({ description, details }) => (
            <>
              <Words of={description} />
              {details && (
                <div className="tefo-quiet">
                  <Words of={details} />
                </div>
              )}
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
        ["VAT", <Money key="tax" amount={taxAmount} currency={currency} />],
        ["Total", <Money key="total" amount={total} currency={currency} />],
      ]}
    />
  </Section>
);
