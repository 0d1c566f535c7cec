import type { Permission } from "../api/session.ts";
import { counted } from "../lib/words.ts";
import type { BulkAction } from "./bulk-bar.tsx";

interface Switched {
  readonly id: string;
  readonly enabled: boolean;
}

/** Disables and enables records of a list. */
export const switching = <T extends Switched>(of: {
  /** The word for one record: `product`. */
  readonly kind: string;
  readonly permission: Permission;
  name(item: T): string;
  /** The effect of disabling them, as a sentence. */
  readonly disabled: string;
  /** The effect of enabling them, as a sentence. */
  readonly enabled: string;
  set(id: string, enabled: boolean): Promise<unknown>;
  readonly touches: readonly string[];
}): readonly BulkAction<T>[] => {
  const { kind, permission, name, touches } = of;
  const action = (label: string, enabled: boolean, what: string): BulkAction<T> => ({
    label,
    permission,
    name,
    applies: (item) => item.enabled !== enabled,
    what: (chosen) =>
      `${counted(chosen.length, `${kind} is`, `${kind}s are`)} ${enabled ? "enabled" : "disabled"}. ${what}`,
    run: ({ id }) => of.set(id, enabled),
    touches,
  });
  return [action("Disable", false, of.disabled), action("Enable", true, of.enabled)];
};
