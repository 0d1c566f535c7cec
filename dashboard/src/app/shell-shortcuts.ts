import { useNavigate } from "@tanstack/react-router";
import { useActing } from "../api/session.ts";
import type { Entry } from "../components/resource.ts";
import { ANYWHERE, useShortcutKeys, useShortcuts } from "../components/shortcuts.tsx";
import { commandsFor } from "./commands.ts";
import { navigationFor } from "./navigation.ts";
import { openPalette } from "./palette.tsx";

/** The letter after `g` that leads to an entry. */
const LETTERS: Readonly<Record<Entry, string>> = {
  Invoices: "i",
  Quotes: "q",
  "Payment links": "l",
  Subscriptions: "s",
  "Debit orders": "d",
  Payments: "p",
  Reconcile: "r",
  Reports: "v",
  Customers: "c",
  Catalogue: "k",
  Developers: "w",
  Settings: ",",
};

/** The letter after `c` that begins something new, by its address. */
const NEW: Readonly<Record<string, string>> = {
  "/invoices/new": "i",
  "/quotes/new": "q",
  "/payment-links/new": "l",
  "/customers/new": "c",
};

/** Has the shortcuts that work on every page. */
export function useShellShortcuts(showKeys: () => void): void {
  const { membership } = useActing();
  const navigate = useNavigate();
  const go = (to: string) => () => void navigate({ to });
  useShortcutKeys();
  useShortcuts(ANYWHERE, [
    { keys: ["?"], label: "Keyboard shortcuts", run: showKeys },
    { keys: ["/"], label: "Search", run: openPalette },
    { keys: ["g", "h"], label: "Go to Home", run: go("/") },
    ...navigationFor(membership).flatMap(({ entries }) =>
      entries.map(({ entry, resources: [first] }) => ({
        keys: ["g", LETTERS[entry]],
        label: `Go to ${entry}`,
        run: go(`/${first.name}`),
      })),
    ),
    ...commandsFor(membership).flatMap(({ label, to }) => {
      const letter = NEW[to];
      return letter === undefined ? [] : [{ keys: ["c", letter], label, run: go(to) }];
    }),
  ]);
}
