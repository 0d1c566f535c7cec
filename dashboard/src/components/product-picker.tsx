import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useList } from "../api/lists.ts";
import { formatMoney } from "../lib/money.ts";
import { Permitted } from "./notice.tsx";

/** A product as a line takes it: its price is in the terms of the document. */
interface Picked {
  readonly name: string;
  readonly unitPrice: number;
  readonly taxRate: number;
  readonly taxExempt: boolean;
}

interface Priced {
  readonly amount: number;
  readonly taxRate: number;
  readonly taxExempt?: boolean | undefined;
  readonly taxInclusive: boolean;
}

/** A price with or without VAT, as the document's are; 6 decimals keep its total. */
function priceIn({ amount, taxRate, taxExempt, taxInclusive }: Priced, inclusive: boolean): number {
  if (taxInclusive === inclusive || taxExempt) return amount;
  const price = inclusive ? (amount * (100 + taxRate)) / 100 : (amount * 100) / (100 + taxRate);
  return Number(price.toFixed(6));
}

/** Adds a product of the catalogue as a line, found by a part of its name; only those in the document's currency. */
export const ProductPicker = (props: {
  readonly inclusive: boolean;
  readonly currency: string;
  pick(product: Picked): void;
}) => (
  <Permitted to="products:read">
    <Picker {...props} />
  </Permitted>
);

function Picker({
  inclusive,
  currency,
  pick,
}: {
  readonly inclusive: boolean;
  readonly currency: string;
  pick(product: Picked): void;
}) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 250);
  const found = useList("/products", { q, limit: "20" });
  const products = (found.data?.data ?? []).filter((one) => one.enabled && one.currency === currency);
  return (
    <Select
      aria-label="Add a product"
      placeholder="Add a product"
      size="xs"
      value={null}
      searchable
      searchValue={text}
      onSearchChange={setText}
      data={products.map((one) => ({
        value: one.id,
        label: `${one.name}, ${formatMoney(one.amount, one.currency)} ${one.taxInclusive ? "incl." : "excl."} VAT`,
      }))}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? "Searching …" : "No matches"}
      onChange={(id) => {
        const product = products.find((one) => one.id === id);
        if (!product) return;
        const { name, taxRate, taxExempt = false } = product;
        pick({ name, unitPrice: priceIn(product, inclusive), taxRate, taxExempt });
        setText("");
      }}
    />
  );
}
