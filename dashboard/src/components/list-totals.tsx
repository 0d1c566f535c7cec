import { Table } from "@mantine/core";
import { type ListPath, type Totals, useTotals } from "../api/lists.ts";
import { formatCount } from "../lib/money.ts";
import type { Search } from "./list-address.ts";
import { Money } from "./values.tsx";

/** The labels of a list's sums, by their names in the API. */
export type SumLabels = Readonly<Record<string, string>>;

type Sums = Totals["currencies"][number];

interface FooterProps {
  readonly path: ListPath;
  /** Search and filters. */
  readonly filters: Search;
  /** The columns that are shown. */
  readonly columns: readonly { readonly name: string; readonly label: string }[];
  readonly labels: SumLabels;
  /** Whether a column to select records stands before the others. */
  readonly selectable: boolean;
}

/**
 * The footer of a list: how many records there are with these filters on all pages, and what they come to, by currency.
 * A sum stands below the column of its name; one without a column is named beside the count.
 */
export function ListTotals(props: FooterProps) {
  const { data, isError } = useTotals(props.path, props.filters);
  if (isError) return null;
  const title = data ? `${data.count === 1 ? "" : "All "}${formatCount(data.count)} in this view` : "Counting…";
  const lines = data && data.currencies.length > 0 ? data.currencies : [null];
  return (
    <Table.Tfoot>
      {lines.map((sums, at) => (
        <Line key={sums?.currency ?? ""} title={at === 0 ? title : `In ${sums?.currency}`} sums={sums} {...props} />
      ))}
    </Table.Tfoot>
  );
}

/** The sums of one currency; null: there are none. */
function Line({
  title,
  sums,
  columns,
  labels,
  selectable,
}: FooterProps & { readonly title: string; readonly sums: Sums | null }) {
  const amountOf = (name: string) => (name in labels ? Number(sums?.[name] ?? 0) : 0);
  const first = columns.findIndex(({ name }) => name in labels);
  const before = first < 0 ? columns.length : Math.max(first, 1);
  const others = Object.keys(labels).filter(
    (name) => amountOf(name) !== 0 && !columns.slice(before).some((column) => column.name === name),
  );
  return (
    <Table.Tr>
      <Table.Th scope="row" colSpan={before + (selectable ? 1 : 0)}>
        {title}
        {sums &&
          others.map((name) => (
            <span key={name} className="tefo-sum">
              {labels[name]} <Money amount={amountOf(name)} currency={sums.currency} />
            </span>
          ))}
      </Table.Th>
      {columns.slice(before).map(({ name, label }) => (
        <Table.Td key={name} data-figures={name in labels} data-label={label}>
          <div>{sums && name in labels && <Money amount={amountOf(name)} currency={sums.currency} />}</div>
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
