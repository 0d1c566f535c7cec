import { MultiSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { Shape } from "../api/client.ts";
import { useList } from "../api/lists.ts";
import { per } from "../lib/frequency.ts";
import { formatMoney } from "../lib/money.ts";

type Plan = Shape<"Plan">;

/** A plan as a choice: its name and price. */
const labelOf = ({ name, amount, currency, frequency, enabled }: Plan): string =>
  `${name}, ${formatMoney(amount, currency)} ${per(frequency)}${enabled ? "" : " (disabled)"}`;

interface FieldProps {
  readonly label: string;
  readonly description?: string;
  readonly error?: ReactNode;
  readonly withAsterisk?: boolean;
}

/** Chooses a plan by typing part of its name or code. The value is the id. `known` names the plan that is chosen at first. */
export function PlanInput({
  value,
  onChange,
  known,
  ...props
}: FieldProps & {
  readonly value?: string;
  onChange?(id: string): void;
  readonly known?: { readonly id: string; readonly name: string };
}) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.includes(", ") ? "" : text.trim(), 250);
  const found = useList("/plans", { q, limit: "50" });
  const options = (found.data?.data ?? []).map((plan) => ({ value: plan.id, label: labelOf(plan) }));
  const missing = known && !options.some((one) => one.value === known.id);
  return (
    <Select
      {...props}
      value={value || null}
      onChange={(id) => onChange?.(id ?? "")}
      searchable
      searchValue={text}
      onSearchChange={setText}
      data={missing ? [{ value: known.id, label: known.name }, ...options] : options}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isPending ? "Searching …" : "No plan found"}
    />
  );
}

type Named = Shape<"Plan"> | Shape<"Product">;

/** Chooses any number of records that have a name; ids that the list does not show stay chosen. */
export function NamedInput({
  path,
  offer = () => true,
  value = [],
  onChange,
  ...props
}: FieldProps & {
  readonly path: "/plans" | "/products";
  /** Whether a record can be chosen; all unless given. */
  offer?(item: Named): boolean;
  readonly value?: string[];
  onChange?(ids: string[]): void;
}) {
  const found = useList(path, { limit: "100" });
  const items: readonly Named[] = found.data?.data ?? [];
  const others = value.filter((id) => !items.some((item) => item.id === id));
  return (
    <MultiSelect
      {...props}
      value={value}
      onChange={(ids) => onChange?.(ids)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${props.label.toLowerCase()}` }}
      data={[
        ...items
          .filter((item) => offer(item) || value.includes(item.id))
          .map(({ id, name }) => ({ value: id, label: name })),
        ...others.map((id) => ({ value: id, label: id })),
      ]}
    />
  );
}
