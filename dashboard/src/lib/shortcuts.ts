/** A shortcut: the keys that are pressed one after the other, and what they do. */
export interface Shortcut {
  /** As `keyOf` names them: `["g", "i"]`, `["Shift A"]`, `["ArrowDown"]`. */
  readonly keys: readonly string[];
  readonly label: string;
  run(): void;
}

/** What a key event tells of the key. */
interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The name of the pressed key; null with a key that belongs to the browser or the system. */
export function keyOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): string | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (!/^\p{L}$/u.test(key)) return key;
  return shiftKey ? `Shift ${key.toUpperCase()}` : key.toLowerCase();
}

/** What follows from a key: a shortcut, or more keys to wait for. */
interface Step {
  readonly shortcut: Shortcut | null;
  readonly pending: readonly string[];
}

const begins = (keys: readonly string[], pressed: readonly string[]): boolean =>
  pressed.every((key, place) => keys[place] === key);

/** Adds a key to those that were pressed before. A key that continues nothing begins anew. Of equal shortcuts the last counts. */
export function step(shortcuts: readonly Shortcut[], pending: readonly string[], key: string): Step {
  const pressed = [...pending, key];
  const fitting = shortcuts.filter(({ keys }) => begins(keys, pressed));
  const whole = fitting.findLast(({ keys }) => keys.length === pressed.length);
  if (whole) return { shortcut: whole, pending: [] };
  if (fitting.length > 0) return { shortcut: null, pending: pressed };
  return pending.length > 0 ? step(shortcuts, [], key) : { shortcut: null, pending: [] };
}

const SAID: Readonly<Record<string, string>> = { ArrowUp: "Up", ArrowDown: "Down" };

/** A key as people read it. */
export const keyWords = (key: string): string => SAID[key] ?? key;
