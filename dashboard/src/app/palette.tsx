import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, got } from "../api/client.ts";
import { useRecord } from "../api/records.ts";
import { useActing } from "../api/session.ts";
import { Icon } from "../components/icon.tsx";
import { statusWords } from "../components/values.tsx";
import { formatMoney } from "../lib/money.ts";
import { pathTo } from "../lib/paths.ts";
import { ALSO_CALLED, isMeant } from "../lib/search-words.ts";
import { words } from "../lib/words.ts";
import { commandsFor } from "./commands.ts";
import { navigationFor } from "./navigation.ts";
import { RESOURCES } from "./resources.ts";

/** The least number of letters for a search. */
const SHORTEST = 2;

/** Opens search and commands. */
export const openPalette = (): void => spotlight.open();

/** Search from anywhere, by Ctrl K or Command K: pages by their names, records by their data. */
export function Palette() {
  const { membership } = useActing();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 250);
  const found = useFound(query);
  const go = (to: string) => () => void navigate({ to });
  const pages: SpotlightActionGroupData = {
    group: "Pages",
    actions: [
      { id: "home", label: "Home", onClick: go("/") },
      ...navigationFor(membership).flatMap(({ entries }) =>
        entries.flatMap(({ entry, resources }) =>
          resources.map(({ name, label }) => ({
            id: name,
            label,
            ...(label === entry ? {} : { description: entry }),
            onClick: go(pathTo(name)),
          })),
        ),
      ),
    ].filter(({ id, label }) => isMeant(text, `${label} ${ALSO_CALLED[id] ?? ""}`)),
  };
  const commands: SpotlightActionGroupData = {
    group: "Actions",
    actions: commandsFor(membership)
      .filter(({ label, also }) => text.trim() !== "" && isMeant(text, `${label} ${also}`))
      .map(({ label, to }) => ({ id: to, label, onClick: go(to) })),
  };
  return (
    <Spotlight
      attributes={{ content: { "aria-label": "Search" } }}
      actions={[commands, ...found, pages].filter(({ actions }) => actions.length > 0)}
      query={text}
      onQueryChange={setText}
      filter={(_query, actions) => actions}
      shortcut={["mod + K"]}
      nothingFound={query === "" ? "Type to search" : "Nothing found"}
      scrollable
      maxHeight="60vh"
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: "Search pages and records …",
        "aria-label": "Search",
      }}
    />
  );
}

/** The navigation's label for records of a kind, which the path of one of them gives. */
const groupOf = (kind: string, path: string): string =>
  (kind !== "refund" && RESOURCES.find(({ name }) => path.startsWith(`${pathTo(name)}/`))?.label) || `${words(kind)}s`;

/** Records that the search finds, by kind. */
function useFound(q: string): SpotlightActionGroupData[] {
  const navigate = useNavigate();
  const found = useRecord(
    ["/search", q],
    () => got(api.GET("/search", { params: { query: { q } } })),
    q.length >= SHORTEST,
  );
  if (q.length < SHORTEST) return [];
  return (found.data?.groups ?? []).map(({ kind, results }) => ({
    group: groupOf(kind, results[0]?.path ?? ""),
    actions: results.map(({ id, title, detail, status, amount, currency, path }) => ({
      id,
      label: title,
      description: [
        detail,
        status && statusWords(status),
        amount !== null && currency !== null && formatMoney(amount, currency),
      ]
        .filter(Boolean)
        .join(" · "),
      onClick: () => void navigate({ to: path }),
    })),
  }));
}
