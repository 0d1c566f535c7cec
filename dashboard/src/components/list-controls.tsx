import { Button, Checkbox, CloseButton, Group, Menu, NativeSelect, Pill, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { inSentence, words } from "../lib/words.ts";
import { DayFilter } from "./date-input.tsx";
import { Icon } from "./icon.tsx";
import type { ListAddress } from "./list-address.ts";
import { SortSelect, type SortWords } from "./list-sort.tsx";
import { useShortcuts } from "./shortcuts.tsx";
import { statusWords } from "./values.tsx";

/** A filter of the API's list: one of some values, or, without `options`, the exact text. */
export interface Filter<Name extends string = string> {
  readonly name: Name;
  readonly label: string;
  readonly options?: readonly (string | { readonly value: string; readonly label: string })[];
  /** A day, instead of a text. */
  readonly day?: boolean;
}

const SEARCH_MAX = 200;

/** Search, filters and the choice of columns above a list. */
export function ListControls(props: {
  readonly address: ListAddress;
  readonly label: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly { readonly name: string; readonly label: string; readonly sort?: SortWords | undefined }[];
  readonly shown: readonly string[];
  readonly searchable: boolean;
}) {
  const { address, filters } = props;
  const used = Object.keys(address.filters).length > 0;
  // Filters from a figure's link, without a field of their own.
  const others = Object.keys(address.filters).filter(
    (name) => name !== "q" && !filters.some((one) => one.name === name),
  );
  return (
    <Group gap="sm" align="flex-end" className="tefo-controls">
      {props.searchable && <SearchField address={address} label={props.label} />}
      {filters.map((filter) => (
        <FilterField key={filter.name} filter={filter} address={address} />
      ))}
      {others.map((name) => (
        <Pill
          key={name}
          size="lg"
          withRemoveButton
          removeButtonProps={{ "aria-label": `Remove ${words(name)}`, "aria-hidden": false, tabIndex: 0 }}
          onRemove={() => address.filter({ [name]: "" })}
        >
          {words(name)}: {valueWords(address.filters[name] ?? "")}
        </Pill>
      ))}
      {used && (
        <Button variant="subtle" onClick={address.clear}>
          Clear
        </Button>
      )}
      <SortSelect columns={props.columns} address={address} />
      <ColumnMenu {...props} />
    </Group>
  );
}

/** A value of the API as words; ids, codes and days as they are. */
const valueWords = (value: string): string => (/^[a-z]+(_[a-z]+)*$/.test(value) ? statusWords(value) : value);

function SearchField({ address, label }: { readonly address: ListAddress; readonly label: string }) {
  const given = address.filters["q"] ?? "";
  const [text, setText] = useState(given);
  const field = useRef<HTMLInputElement>(null);
  const typed = useRef(given);
  const search = useDebouncedCallback((q: string) => {
    typed.current = q;
    address.filter({ q });
  }, 250);
  // The back button changes the address.
  useEffect(() => {
    if (given !== typed.current) setText(given);
    typed.current = given;
  }, [given]);
  useHotkeys([["mod+shift+F", () => field.current?.focus()]]);
  useShortcuts("This list", [{ keys: ["/"], label: "Search the list", run: () => field.current?.focus() }]);
  const change = (value: string) => {
    setText(value);
    search(value.trim());
  };
  return (
    <TextInput
      ref={field}
      type="search"
      className="tefo-search"
      label={`Search ${inSentence(label)}`}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        text === "" ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => change("")} />
      }
      maxLength={SEARCH_MAX}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function FilterField({ filter, address }: { readonly filter: Filter; readonly address: ListAddress }) {
  const value = address.filters[filter.name] ?? "";
  if (filter.day)
    return <DayFilter label={filter.label} value={value} onChange={(day) => address.filter({ [filter.name]: day })} />;
  if (!filter.options)
    return (
      <TextInput
        label={filter.label}
        defaultValue={value}
        key={value}
        maxLength={SEARCH_MAX}
        onBlur={(event) =>
          event.currentTarget.value !== value && address.filter({ [filter.name]: event.currentTarget.value })
        }
        onKeyDown={(event) => event.key === "Enter" && address.filter({ [filter.name]: event.currentTarget.value })}
      />
    );
  const options = filter.options.map((one) =>
    typeof one === "string" ? { value: one, label: statusWords(one) } : one,
  );
  // The value in the address may be none of the choices, such as a record that was deleted.
  const other = value === "" || options.some((one) => one.value === value) ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      label={filter.label}
      data={[{ value: "", label: "All" }, ...options, ...other]}
      value={value}
      onChange={(event) => address.filter({ [filter.name]: event.currentTarget.value })}
    />
  );
}

function ColumnMenu({
  address,
  columns,
  shown,
}: {
  readonly address: ListAddress;
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  readonly shown: readonly string[];
}) {
  const toggle = (name: string) => {
    const next = columns
      .map((column) => column.name)
      .filter((one) => (one === name ? !shown.includes(one) : shown.includes(one)));
    if (next.length > 0) address.showColumns(next);
  };
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="columns" size={16} />} ml="auto" visibleFrom="sm">
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ name, label }) => (
          <Menu.Item
            key={name}
            role="menuitemcheckbox"
            aria-checked={shown.includes(name)}
            onClick={() => toggle(name)}
          >
            <Checkbox
              checked={shown.includes(name)}
              label={label}
              readOnly
              tabIndex={-1}
              aria-hidden
              style={{ pointerEvents: "none" }}
            />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
