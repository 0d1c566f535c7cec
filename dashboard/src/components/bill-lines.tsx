import { List } from "@mantine/core";
import type { ReactNode } from "react";
import { explained, type LineReason } from "../lib/line-reason.ts";
import { Rows } from "./resource-page.tsx";
import { Money, Words } from "./values.tsx";

interface Line {
  readonly description: string;
  readonly details?: string | null;
  readonly amount: number;
  readonly reason?: LineReason;
}

/** The lines of a bill with the reason of each, and their totals. */
export const BillLines = ({
  label,
  lines,
  currency,
  foot,
}: {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly currency: string;
  readonly foot: readonly (readonly [string, ReactNode])[];
}) => (
  <Rows
    label={label}
    items={lines}
    keyOf={(_line, index) => String(index)}
    none="Nothing."
    columns={[
      {
        label: "Description",
        cell: ({ description, details, reason }) => (
          <div>
            <Words of={description} />
            <Why details={details} sentences={reason ? explained(reason, currency) : []} />
          </div>
        ),
      },
      { label: "Amount", figures: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
    ]}
    foot={foot}
  />
);

/** The reason as sentences; the line's details, which hold the same in one text, only when there is no reason. */
function Why({
  details,
  sentences,
}: {
  readonly details: string | null | undefined;
  readonly sentences: readonly string[];
}) {
  if (sentences.length === 0)
    return (
      details && (
        <div className="tefo-quiet">
          <Words of={details} />
        </div>
      )
    );
  return (
    <List size="sm" c="dimmed" listStyleType="none" className="tefo-reason">
      {sentences.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no id and never change places
        <List.Item key={index} dir="auto">
          {text}
        </List.Item>
      ))}
    </List>
  );
}

/** The totals of a bill, for the foot of its lines. */
export const totalsOf = (
  { subtotal, tax, total }: { readonly subtotal: number; readonly tax: number; readonly total: number },
  currency: string,
) =>
  [
    ["Subtotal excl. VAT", <Money key="subtotal" amount={subtotal} currency={currency} />],
    ["VAT", <Money key="tax" amount={tax} currency={currency} />],
    ["Total", <Money key="total" amount={total} currency={currency} />],
  ] as const;
