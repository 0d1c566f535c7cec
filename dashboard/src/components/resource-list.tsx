import { Button, Checkbox, Group, Skeleton, Stack, Table, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { type FilterName, type Item, type ListPath, type SortName, type TotalledPath, useList } from "../api/lists.ts";
import { type Permission, useMay } from "../api/session.ts";
import { pathTo } from "../lib/paths.ts";
import { counted } from "../lib/words.ts";
import { type BulkAction, BulkBar } from "./bulk-bar.tsx";
import { FileButton } from "./file.tsx";
import { Icon } from "./icon.tsx";
import { ButtonLink, TextLink } from "./link.tsx";
import { type ListAddress, type Search, useListAddress } from "./list-address.ts";
import { type Filter, ListControls } from "./list-controls.tsx";
import { ColumnHead, type SortWords } from "./list-sort.tsx";
import { ListTotals, type SumLabels } from "./list-totals.tsx";
import { Empty, Failure } from "./notice.tsx";
import { useShortcuts } from "./shortcuts.tsx";
import { useTitle } from "./title.ts";
import { type BuiltInView, Views } from "./views.tsx";

/** A column of a list. The first is the link to the record, and stays visible. */
export interface Column<T> {
  readonly name: string;
  readonly label: string;
  cell(item: T): ReactNode;
  /** Right-aligned, with figures of one width. */
  readonly figures?: boolean;
  /** Not shown until it is chosen. */
  readonly extra?: boolean;
  readonly sort?: undefined;
}

/** A column by which the API sorts the list, by its name there. */
interface SortedColumn<T, Sort extends string> extends Omit<Column<T>, "sort"> {
  readonly name: Sort;
  readonly sort: SortWords;
}

/** A button that opens the form of a new record. */
interface Create {
  readonly label: string;
  readonly permission: Permission;
  readonly to: string;
}

/** The declaration of a list page. */
export interface ResourceListProps<P extends ListPath> {
  /** Name of the resource, under which its pages are: `customers`. */
  readonly resource: string;
  /** The page's heading. */
  readonly title: string;
  readonly path: P;
  readonly columns: readonly (Column<Item<P>> | SortedColumn<Item<P>, SortName<P>>)[];
  readonly filters?: readonly Filter<FilterName<P>>[];
  /** Views that this list has beside those that staff save. */
  readonly views?: readonly BuiltInView[];
  /** False where the API's list has no search. */
  readonly searchable?: boolean;
  /** The filters that the list always has, whatever its address. */
  readonly fixed?: Search;
  /** The relation whose record comes within each record, where staff may read it. */
  readonly expand?: { readonly relation: string; readonly permission: Permission };
  /** The record's id in addresses, and as cursor; `id` unless given. */
  idOf?(item: Item<P>): string;
  /** Address of the record's page; null for records without one. */
  linkOf?(item: Item<P>): string | null;
  readonly create?: Create;
  /** Path of the CSV below the API, which gets the filters of the list. */
  readonly exported?: string;
  readonly bulk?: readonly BulkAction<Item<P>>[];
  /** What the records are and how to make the first one, for an empty list. */
  readonly empty: {
    readonly title: string;
    readonly text: string;
    readonly action?: ReactNode;
    /** The form of another resource that makes the first record, when they have no form of their own. */
    readonly first?: Create;
  };
  /** The labels of the sums of all records that match, for the footer, where the API counts and sums the list; views are then counted too. */
  readonly totals?: P extends TotalledPath ? SumLabels : never;
  /** What all records of the list come to, above them. */
  readonly summary?: ReactNode;
  /** Further buttons of the page. */
  readonly actions?: ReactNode;
}

const PAGE = 20;

/** The list of a resource: search, filters and columns in the address, pages by cursor, selection with actions, export, keyboard. */
export function ResourceList<P extends ListPath>(props: ResourceListProps<P>) {
  const address = useListAddress();
  const may = useMay();
  const expand = props.expand && may(props.expand.permission) && { expand: props.expand.relation };
  const list = useList(props.path, { limit: String(PAGE), ...address.query, ...props.fixed, ...(expand || {}) });
  useTitle(props.title);
  const shown = address.columns ?? props.columns.filter(({ extra }) => !extra).map(({ name }) => name);
  const filtered = Object.keys(address.filters).length > 0;
  const items = list.data?.data ?? [];
  const bare = list.isSuccess && items.length === 0 && !filtered && !address.later;
  return (
    <Stack gap="md">
      <ListHead {...props} address={address} />
      {!bare && (
        <Views
          list={props.resource}
          title={props.title}
          address={address}
          builtIn={props.views ?? []}
          counted={props.totals ? { path: props.path, fixed: props.fixed ?? {}, ready: list.isSuccess } : null}
        />
      )}
      {!bare && (
        <ListControls
          address={address}
          label={props.title}
          filters={props.filters ?? []}
          columns={props.columns}
          shown={shown}
          searchable={props.searchable ?? true}
        />
      )}
      {!bare && props.summary}
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Waiting />}
      {bare && (
        <Empty
          {...props.empty}
          action={props.empty.action ?? <CreateButton create={props.empty.first ?? props.create} />}
        />
      )}
      {list.isSuccess && items.length === 0 && !bare && (
        <Empty
          title="Nothing matches"
          text="No record fits the search and the filters."
          action={
            <Button variant="default" onClick={address.clear}>
              Show all
            </Button>
          }
        />
      )}
      {list.isSuccess && (
        <Records
          {...props}
          address={address}
          items={items}
          shown={shown}
          stale={list.isPlaceholderData}
          key={JSON.stringify(address.query)}
        />
      )}
      <Pages address={address} count={items.length} next={list.data?.hasMore ? (list.data.nextCursor ?? null) : null} />
    </Stack>
  );
}

function ListHead<P extends ListPath>(props: ResourceListProps<P> & { readonly address: ListAddress }) {
  const may = useMay();
  const query = new URLSearchParams(props.address.filters).toString();
  return (
    <Group justify="space-between" align="center">
      <Title order={1} size="h2">
        {props.title}
      </Title>
      <Group gap="sm">
        {props.actions}
        {props.exported && may("exports:read") && (
          <FileButton path={`${props.exported}${query && `?${query}`}`}>Export</FileButton>
        )}
        <CreateButton create={props.create} />
      </Group>
    </Group>
  );
}

function CreateButton({ create }: { readonly create: Create | undefined }) {
  const may = useMay();
  const navigate = useNavigate();
  const shown = create && may(create.permission) ? create : null;
  useShortcuts(
    "This list",
    shown ? [{ keys: ["n"], label: shown.label, run: () => void navigate({ to: shown.to }) }] : [],
  );
  if (!shown) return null;
  return (
    <ButtonLink to={shown.to} leftSection={<Icon name="plus" size={16} />}>
      {shown.label}
    </ButtonLink>
  );
}

const Waiting = () => (
  <Stack gap="xs" aria-busy="true" aria-label="Loading">
    {[1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
      <Skeleton key={row} height={36} />
    ))}
  </Stack>
);

/** Up and down move between the records; Enter on a record's link opens it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (event.target instanceof HTMLInputElement && event.target.type !== "checkbox") return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-record] a")];
  const at = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The records of the page, with their selection. */
function Records<P extends ListPath>(
  props: ResourceListProps<P> & {
    readonly address: ListAddress;
    readonly items: readonly Item<P>[];
    readonly shown: readonly string[];
    readonly stale: boolean;
  },
) {
  const { items, bulk = [] } = props;
  const may = useMay();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const idOf = props.idOf ?? ((item: Item<P>) => String((item as { id?: unknown }).id));
  const actions = bulk.filter(({ permission }) => may(permission));
  return (
    <>
      <BulkBar
        items={items.filter((item) => selected.has(idOf(item)))}
        actions={actions}
        clear={() => setSelected(new Set())}
      />
      {items.length > 0 && (
        <RecordTable
          {...props}
          columns={props.columns.filter(({ name }, index) => index === 0 || props.shown.includes(name))}
          idOf={idOf}
          selected={actions.length > 0 ? selected : null}
          select={setSelected}
        />
      )}
    </>
  );
}

function RecordTable<P extends ListPath>(
  props: ResourceListProps<P> & {
    readonly address: ListAddress;
    readonly items: readonly Item<P>[];
    readonly stale: boolean;
    idOf(item: Item<P>): string;
    /** Null: nothing can be selected. */
    readonly selected: ReadonlySet<string> | null;
    select(ids: ReadonlySet<string>): void;
  },
) {
  const { items, columns, idOf, selected, select } = props;
  const places = placesOnPhones(columns);
  const all = selected !== null && items.every((item) => selected.has(idOf(item)));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  return (
    <div className="tefo-table tefo-list" data-stale={props.stale}>
      <Table highlightOnHover verticalSpacing="sm" onKeyDown={moveFocus} aria-label={props.title}>
        <Head
          columns={columns}
          address={props.address}
          selection={selected && (all ? "all" : selected.size > 0 ? "some" : "none")}
          selectAll={() => select(all ? new Set() : new Set(items.map(idOf)))}
        />
        <Table.Tbody>
          {items.map((item) => {
            const id = idOf(item);
            return (
              <Table.Tr key={id} data-record={id}>
                {selected && (
                  <Table.Td data-label="Select" data-phone="select">
                    <Checkbox aria-label={`Select ${id}`} checked={selected.has(id)} onChange={() => toggle(id)} />
                  </Table.Td>
                )}
                {columns.map((column, index) => (
                  <Cell
                    key={column.name}
                    column={column}
                    place={places.get(column.name)}
                    item={item}
                    to={index === 0 ? linkTo(props, item, id) : null}
                  />
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
        {props.totals && (
          <ListTotals
            path={props.path}
            filters={{ ...props.address.filters, ...props.fixed }}
            columns={columns}
            labels={props.totals}
            selectable={selected !== null}
          />
        )}
      </Table>
    </div>
  );
}

function Head<T>({
  columns,
  address,
  selection,
  selectAll,
}: {
  readonly columns: readonly (Column<T> | SortedColumn<T, string>)[];
  readonly address: ListAddress;
  /** Null: nothing can be selected. */
  readonly selection: "all" | "some" | "none" | null;
  selectAll(): void;
}) {
  return (
    <Table.Thead>
      <Table.Tr>
        {selection !== null && (
          <Table.Th w={36}>
            <Checkbox
              aria-label="Select all of this page"
              checked={selection === "all"}
              indeterminate={selection === "some"}
              onChange={selectAll}
            />
          </Table.Th>
        )}
        {columns.map((column) => (
          <ColumnHead key={column.name} column={column} figures={column.figures} address={address} />
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

const linkTo = <P extends ListPath>(
  { resource, linkOf }: ResourceListProps<P>,
  item: Item<P>,
  id: string,
): string | null => (linkOf ? linkOf(item) : pathTo(resource, id));

/** Where a cell stands on a phone, where a record takes two lines: beside the lead its figure, below it two details and its status. */
type Place = "lead" | "figure" | "status" | "detail" | "second";

/** The places of the columns; the others are left to the record's page. */
function placesOnPhones(columns: readonly Pick<Column<never>, "name" | "figures">[]): ReadonlyMap<string, Place> {
  const [lead, ...others] = columns;
  const figures = others.filter((column) => column.figures);
  const figure = figures.find(({ name }) => name === "total" || name === "amount") ?? figures.at(-1);
  const [detail, second] = others.filter((column) => !column.figures && column.name !== "status");
  const named: (readonly [string | undefined, Place])[] = [
    [lead?.name, "lead"],
    [figure?.name, "figure"],
    ["status", "status"],
    [detail?.name, "detail"],
    [second?.name, "second"],
  ];
  return new Map(named.flatMap(([name, place]) => (name === undefined ? [] : [[name, place]])));
}

function Cell<T>({
  column,
  place,
  item,
  to,
}: {
  readonly column: Pick<Column<T>, "cell" | "figures" | "label">;
  readonly place: Place | undefined;
  readonly item: T;
  readonly to: string | null;
}) {
  const content = column.cell(item);
  return (
    <Table.Td data-figures={column.figures} data-label={column.label} data-phone={place ?? "left-out"}>
      <div>{to === null ? content : <TextLink to={to}>{content}</TextLink>}</div>
    </Table.Td>
  );
}

/** The buttons to the pages before and after this one; none when there is one page. */
export function Pages({
  address,
  count,
  next,
}: {
  readonly address: Pick<ListAddress, "later" | "previous" | "next">;
  readonly count: number;
  readonly next: string | null;
}) {
  if (!address.later && next === null) return null;
  return (
    <Group justify="space-between" component="nav" aria-label="Pages">
      <Button
        variant="default"
        disabled={!address.later}
        onClick={address.previous}
        leftSection={<Icon name="left" size={16} />}
      >
        Previous
      </Button>
      <span className="tefo-quiet">{counted(count, "record")} on this page</span>
      <Button
        variant="default"
        disabled={next === null}
        onClick={() => next !== null && address.next(next)}
        rightSection={<Icon name="right" size={16} />}
      >
        Next
      </Button>
    </Group>
  );
}
