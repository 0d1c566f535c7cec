import { MoneyInput } from "../../components/form.tsx";
import { LineRows, type LineRowsProps } from "../../components/line-items.tsx";
import type { TypedVat } from "../../lib/vat.ts";

/** A line of a credit note during input; an empty field is an empty text. */
export interface CreditLine extends TypedVat {
  description: string;
  /** With VAT. */
  amount: number | string;
  /** The charge of the corrected invoice with VAT, as text. */
  readonly charged?: string;
}

/** The lines of a credit note, each with its VAT. */
export const CreditLines = ({ currency, ...props }: LineRowsProps<CreditLine> & { readonly currency: string }) => (
  <LineRows
    {...props}
    about="Amounts with VAT. A line without an amount is left out."
    described={({ charged }) => charged && `Charged ${charged}`}
    amounts={(index) => <MoneyInput label="Credit" currency={currency} {...props.field(`${index}.amount`)} />}
  />
);
