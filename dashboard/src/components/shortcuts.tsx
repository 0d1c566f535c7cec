import { useEffect, useId, useRef, useSyncExternalStore } from "react";
import { keyOf, keyWords, type Shortcut, step } from "../lib/shortcuts.ts";

/** Shortcuts that are said together: `Anywhere`, `Reconcile`. */
interface Group {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The groups of what is shown now, by the component that has them. */
const groups = new Map<string, Group>();
let shown: readonly Group[] = [];

/** The group of the shell's shortcuts, whose keys a page may use otherwise. */
export const ANYWHERE = "Anywhere";
const listeners = new Set<() => void>();

function tell(): void {
  shown = [...groups.values()].toSorted(
    (one, other) => Number(other.title === ANYWHERE) - Number(one.title === ANYWHERE),
  );
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The shortcuts of what is shown now. */
export const useShortcutGroups = (): readonly Group[] => useSyncExternalStore(subscribe, () => shown);

/** Has shortcuts while the component is shown. A page's count before those of the shell. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const id = useId();
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map(({ keys, label }) => `${keys.join(" ")} ${label}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions are read when they are called
  useEffect(() => {
    const called = latest.current.map((shortcut, place) => ({ ...shortcut, run: () => latest.current[place]?.run() }));
    groups.set(id, { title, shortcuts: called });
    tell();
    return () => {
      groups.delete(id);
      tell();
    };
  }, [id, title, names]);
}

const OFF = "tefo-shortcuts-off";

/** Whether single keys do something in this browser (WCAG 2.1.4). */
export const shortcutsOn = (): boolean => localStorage.getItem(OFF) === null;

/** Turns single keys on or off in this browser. */
export function turnShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";
/** What takes a key itself while it has the focus: Enter presses it, arrows move within it. */
const PRESSED = "a, button, summary, [role=tab], [role=radio], input, .tefo-list";
const MOVED_IN = "[role=tab], [role=radio], input, .tefo-list";
const TAKEN_BY: Readonly<Record<string, string>> = { Enter: PRESSED, ArrowUp: MOVED_IN, ArrowDown: MOVED_IN };

/** Whether a key belongs to what has the focus, or a dialog is open, which has the keys to itself. */
function isTaken(event: KeyboardEvent, key: string): boolean {
  const at = event.target instanceof Element ? event.target : null;
  if (at?.closest(FIELDS) || document.querySelector("[role=dialog], [role=menu]")) return true;
  const controls = TAKEN_BY[key];
  return controls !== undefined && at?.closest(controls) != null && at.closest("[data-shortcuts]") === null;
}

/** How long the second key of a shortcut is waited for. */
const WAIT_MS = 1500;

/** Listens to the keys of all shortcuts; the shell has it once. */
export function useShortcutKeys(): void {
  useEffect(() => {
    let pending: readonly string[] = [];
    let at = 0;
    const listen = (event: KeyboardEvent) => {
      const key = keyOf(event);
      if (key === null || event.repeat || event.defaultPrevented || !shortcutsOn() || isTaken(event, key)) return;
      const all = shown.flatMap(({ shortcuts }) => shortcuts);
      const next = step(all, event.timeStamp - at > WAIT_MS ? [] : pending, key);
      ({ pending } = next);
      at = event.timeStamp;
      if (!next.shortcut) return;
      event.preventDefault();
      next.shortcut.run();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** A key beside what it does. */
export const Key = ({ of }: { readonly of: string }) => <kbd className="tefo-key">{keyWords(of)}</kbd>;
