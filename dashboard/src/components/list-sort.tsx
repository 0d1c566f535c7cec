import { NativeSelect, Table, UnstyledButton } from "@mantine/core";
import { Icon } from "./icon.tsx";
import type { ListAddress } from "./list-address.ts";

/** What a list's order needs to know of a column. */
interface Sorted {
  readonly name: string;
  readonly label: string;
  /** What its least and its greatest values are called, where the list can be sorted by it. */
  readonly sort?: SortWords | undefined;
}

/** What the least and the greatest values of a column are called: `earliest`, `latest`. */
export type SortWords = readonly [least: string, greatest: string];
export const BY_DAY: SortWords = ["earliest", "latest"];
export const BY_AMOUNT: SortWords = ["lowest", "highest"];

/** The head of a column; a button where the list can be sorted by it: upwards, downwards, and newest first again. */
export function ColumnHead({
  column: { name, label, sort },
  figures,
  address,
}: {
  readonly column: Sorted;
  readonly figures: boolean | undefined;
  readonly address: Pick<ListAddress, "sort" | "sortBy">;
}) {
  const direction = address.sort === name ? "ascending" : address.sort === `-${name}` ? "descending" : null;
  const next = direction === null ? name : direction === "ascending" ? `-${name}` : null;
  return (
    <Table.Th scope="col" data-figures={figures} data-label={label} {...(direction ? { "aria-sort": direction } : {})}>
      {sort ? (
        <>
          <UnstyledButton className="tefo-sort" visibleFrom="sm" onClick={() => address.sortBy(next)}>
            {label}
            {direction && <Icon name={direction === "ascending" ? "more-than" : "less-than"} size={13} />}
          </UnstyledButton>
          <span className="tefo-phone">{label}</span>
        </>
      ) : (
        label
      )}
    </Table.Th>
  );
}

/** The order of a list on a phone, where a table has no heads. */
export function SortSelect({
  columns,
  address,
}: {
  readonly columns: readonly Sorted[];
  readonly address: Pick<ListAddress, "sort" | "sortBy">;
}) {
  const orders = columns.flatMap(({ name, label, sort }) =>
    sort
      ? [
          { value: name, label: `${label}, ${sort[0]} first` },
          { value: `-${name}`, label: `${label}, ${sort[1]} first` },
        ]
      : [],
  );
  if (orders.length === 0) return null;
  return (
    <NativeSelect
      hiddenFrom="sm"
      label="Order"
      data={[{ value: "", label: "Newest first" }, ...orders]}
      value={address.sort ?? ""}
      onChange={({ currentTarget }) => address.sortBy(currentTarget.value || null)}
    />
  );
}
