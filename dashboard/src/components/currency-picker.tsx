import { NativeSelect } from "@mantine/core";
import { useState } from "react";

/**
 * A choice of currencies, with the one that is shown; nothing when there is only one. It keeps its choices while
 * another currency is read.
 */
export function CurrencyPicker(props: {
  readonly label: string;
  readonly currencies: readonly string[];
  readonly value: string;
  choose(currency: string): void;
}) {
  const [offered, setOffered] = useState<readonly string[]>([]);
  const all = [...new Set([...offered, props.value, ...props.currencies])].toSorted();
  if (all.length > offered.length) setOffered(all);
  if (all.length < 2) return null;
  return (
    <NativeSelect
      aria-label={props.label}
      size="xs"
      data={all}
      value={props.value}
      onChange={({ currentTarget }) => props.choose(currentTarget.value)}
    />
  );
}
