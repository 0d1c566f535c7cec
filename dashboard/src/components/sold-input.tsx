import { MultiSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { Shape } from "../api/client.ts";
import { useList } from "../api/lists.ts";
import { useRecordNames } from "../api/names.ts";
import { per } from "../lib/frequency.ts";
import { formatMoney } from "../lib/money.ts";

type Sold = Shape<"Plan"> | Shape<"Product">;
type Path = "/plans" | "/products";

/** A plan or product as a choice: its name and price. */
function labelOf(one: Sold): string {
  const frequency = "frequency" in one ? one.frequency : one.recurring?.frequency;
  const price = [formatMoney(one.amount, one.currency), frequency && per(frequency)].filter(Boolean).join(" ");
  return `${one.name}, ${price}${one.enabled ? "" : " (disabled)"}`;
}

interface FieldProps {
  readonly label: string;
  readonly description?: string;
  readonly error?: ReactNode;
  readonly withAsterisk?: boolean;
  readonly path: Path;
}

/** The most choices that are offered; a longer text finds the others. */
const SHOWN = "50";

/**
 * The results for a part of a name, and the chosen ones, each with its label: `text` is the input, which is no search
 * while it equals the label of the choice.
 */
function useChoices(path: Path, chosen: readonly string[], text: string, query: Readonly<Record<string, string>> = {}) {
  const names = useRecordNames(chosen);
  const [typed] = useDebouncedValue(text.trim(), 250);
  const [labels, setLabels] = useState<ReadonlyMap<string, string>>(new Map());
  const isLabel = chosen.some((id) => [labels.get(id), names.get(id)].includes(typed));
  const found = useList(path, { ...query, q: isLabel ? "" : typed, limit: SHOWN });
  const items: readonly Sold[] = found.data?.data ?? [];
  const options = items.map((item) => ({ value: item.id, label: labelOf(item) }));
  const others = chosen
    .filter((id) => !options.some(({ value }) => value === id))
    .map((id) => ({ value: id, label: labels.get(id) ?? names.get(id) ?? "…" }));
  return {
    data: [...others, ...options],
    /** Stores the choice, so that its label stays when the list finds others. */
    choose: (ids: readonly string[]) =>
      setLabels(
        new Map([
          ...labels,
          ...options.filter(({ value }) => ids.includes(value)).map(({ value, label }) => [value, label] as const),
        ]),
      ),
    nothing: found.isPending ? "Searching …" : "Nothing found",
  };
}

/** Chooses a plan or product by a part of its name. The value is the id; empty for none. */
export function SoldInput({
  value = "",
  onChange,
  path,
  ...props
}: FieldProps & { readonly value?: string; onChange?(id: string): void }) {
  const [text, setText] = useState("");
  const { data, choose, nothing } = useChoices(path, value === "" ? [] : [value], text);
  return (
    <Select
      {...props}
      value={value || null}
      onChange={(id) => {
        choose(id === null ? [] : [id]);
        onChange?.(id ?? "");
      }}
      searchable
      searchValue={text}
      onSearchChange={setText}
      data={data}
      filter={({ options }) => options}
      nothingFoundMessage={nothing}
      clearable={!props.withAsterisk}
      clearButtonProps={{ "aria-label": `Clear ${props.label.toLowerCase()}` }}
    />
  );
}

/** Chooses any number of plans or products by a part of a name. `query` holds further filters of the list. */
export function SoldInputs({
  value = [],
  onChange,
  path,
  query,
  ...props
}: FieldProps & {
  readonly query?: Readonly<Record<string, string>>;
  readonly value?: string[];
  onChange?(ids: string[]): void;
}) {
  const [text, setText] = useState("");
  const { data, choose, nothing } = useChoices(path, value, text, query);
  return (
    <MultiSelect
      {...props}
      value={value}
      onChange={(ids) => {
        choose(ids);
        onChange?.(ids);
      }}
      searchable
      searchValue={text}
      onSearchChange={setText}
      clearable
      clearButtonProps={{ "aria-label": `Clear ${props.label.toLowerCase()}` }}
      data={data}
      filter={({ options }) => options}
      nothingFoundMessage={nothing}
    />
  );
}
