import { Button, Checkbox, Group, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { api, got, type Shape } from "../api/client.ts";
import { type ListPath, type Totals, useCounts } from "../api/lists.ts";
import { useRecord } from "../api/records.ts";
import { useMay } from "../api/session.ts";
import { formatCount } from "../lib/money.ts";
import type { ListAddress, Search } from "./list-address.ts";
import { MoneyAction } from "./money-action.tsx";

type SavedView = Shape<"SavedView">;

/** A view that every organisation has of a list. */
export interface BuiltInView {
  readonly label: string;
  readonly filters: Search;
}

/** A link of the list is current with the whole address only: all records are another view than those of a status. */
const WHOLE_ADDRESS = { exact: true, includeSearch: true };

/** A text that is the same for the same filters, order and columns, in whatever order they are. */
const textOf = (search: Search): string =>
  new URLSearchParams(Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();

/**
 * The views of a list: all records, those that the list brings along, and those that staff have saved. The one whose
 * filters the address has is marked. What the address has beside a search can be saved under a name.
 */
export function Views({
  list,
  title,
  address,
  builtIn,
  counted,
}: {
  readonly list: string;
  readonly title: string;
  readonly address: ListAddress;
  readonly builtIn: readonly BuiltInView[];
  /** What each view counts, once the list is there; null for a list that is not counted. */
  readonly counted: { readonly path: ListPath; readonly fixed: Search; readonly ready: boolean } | null;
}) {
  const saved = useRecord(["/saved-views", list], () =>
    got(api.GET("/saved-views", { params: { query: { list } } })),
  ).data;
  const own = (saved?.data ?? []).map((view) => ({
    view,
    search: Object.fromEntries(new URLSearchParams(view.query)),
  }));
  const { q: _searched, ...filters } = address.filters;
  const shown = {
    ...filters,
    ...(address.columns ? { columns: address.columns.join(",") } : {}),
    ...(address.sort ? { sort: address.sort } : {}),
  };
  const present = textOf(shown);
  const current = own.find(({ search }) => textOf(search) === present)?.view;
  const known = current !== undefined || builtIn.some((view) => textOf(view.filters) === present);
  const isShown = builtIn.length > 0 || own.length > 0 || present !== "";
  const all = [
    { key: "all", label: "All", search: {} as Search },
    ...builtIn.map(({ label, filters: search }) => ({ key: label, label, search })),
    ...own.map(({ view, search }) => ({ key: view.id, label: view.name, search })),
  ];
  const counts = useCounts(
    isShown && counted ? counted.path : null,
    all.map(({ search }) => ({ ...filtersOf(search), ...counted?.fixed })),
    counted?.ready === true,
  );
  if (!isShown) return null;
  return (
    <Group component="nav" aria-label={`Views of ${title}`} gap="xs">
      {all.map(({ key, label, search }, at) => {
        const isCurrent = textOf(search) === present;
        return (
          <Button
            key={key}
            size="xs"
            radius="xl"
            variant={isCurrent ? "light" : "default"}
            {...(isCurrent ? { "aria-current": "page" as const } : {})}
            renderRoot={(root) => <Link {...root} to="." search={search} activeOptions={WHOLE_ADDRESS} />}
          >
            {label} <Count of={counts[at]} />
          </Button>
        );
      })}
      {current && <Delete view={current} />}
      {!known && present !== "" && <Save list={list} query={present} />}
    </Group>
  );
}

/** What the API reads of a view. */
const filtersOf = ({ columns: _columns, sort: _sort, ...filters }: Search): Search => filters;

const Count = ({ of }: { readonly of: Totals | undefined }) =>
  of && (
    <span className="tefo-count">
      {formatCount(of.count)}
      {of.more && "+"}
    </span>
  );

function Save({ list, query }: { readonly list: string; readonly query: string }) {
  const mayShare = useMay()("notes:write");
  return (
    <MoneyAction
      label="Save view"
      title="Save view"
      button={{ size: "xs", variant: "subtle" }}
      initial={{ name: "", shared: false }}
      check={{ name: (value) => (value.trim() ? null : "Give the view a name.") }}
      fields={(form) => (
        <>
          <TextInput label="Name" maxLength={40} data-autofocus {...form.getInputProps("name")} />
          {mayShare && <Checkbox label="For the whole team" {...form.getInputProps("shared", { type: "checkbox" })} />}
        </>
      )}
      what={({ name, shared }) =>
        `Keeps these filters, order and columns as “${name.trim() || "…"}”, above this list, for ${shared ? "all members" : "you"}. A view of that name is replaced.`
      }
      send={({ name, shared }, keyFor) => {
        const body = { list, query, name: name.trim(), shared };
        return got(api.POST("/saved-views", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={["/saved-views"]}
      said={({ name }) => `Saved “${name}”`}
    />
  );
}

function Delete({ view }: { readonly view: SavedView }) {
  const mayShare = useMay()("notes:write");
  if (view.shared && !mayShare) return null;
  return (
    <MoneyAction
      label="Delete view"
      title={`Delete “${view.name}”`}
      button={{ size: "xs", variant: "subtle" }}
      initial={{}}
      what={() =>
        view.shared
          ? `The view disappears for all members; it was saved by ${view.createdBy}. The records stay.`
          : "The view disappears. The records stay."
      }
      send={() => got(api.DELETE("/saved-views/{id}", { params: { path: { id: view.id } } }))}
      touches={["/saved-views"]}
      said={() => `Deleted “${view.name}”`}
      danger
    />
  );
}
