import { type Cents, subtract, ZERO } from "../../kernel/money.ts";
import type { VatFigure, VatSums } from "./types.ts";

/** The figures of the return in the order of the form; what the books do not have is zero. */
export function figuresOf({ standard, outputTax, untaxed, credited }: VatSums): readonly VatFigure[] {
  const figure = (field: string, description: string, amount: Cents = ZERO): VatFigure => ({
    field,
    description,
    amount,
  });
  return [
    figure("1", "Standard rate, consideration including VAT", standard),
    figure("1A", "Standard rate, capital goods and services only"),
    figure("2", "Zero rate", untaxed),
    figure("2A", "Zero rate, exported goods only"),
    figure("3", "Exempt and non-supplies"),
    figure("4", "Output tax on field 1", outputTax),
    figure("4A", "Output tax on field 1A"),
    figure("12", "Adjustments: other and imported services"),
    figure("13", "Total output tax", outputTax),
    figure("14", "Capital goods and services supplied to you"),
    figure("15", "Other goods and services supplied to you"),
    figure("16", "Change in use"),
    figure("17", "Bad debts"),
    figure("18", "Other: credit notes, cancelled invoices and payments that banks took back", credited),
    figure("19", "Total input tax", credited),
    figure("20", "VAT payable, below zero refundable", subtract(outputTax, credited)),
  ];
}
