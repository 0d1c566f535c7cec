import { kindOf } from "../../kernel/ids.ts";
import { type HeldRole, mayDo } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { kindOfRecord, type RecordKinds } from "./record-kind.ts";

/**
 * The names of the records with these ids (interface 14.2): one statement for each kind among them. Records that the
 * role may not read, or that have no name, are left out.
 */
export async function nameRecords(tx: Tx, kinds: RecordKinds, role: HeldRole, ids: readonly string[]) {
  const byKind = Map.groupBy(ids, kindOf);
  const found = await Promise.all(
    [...byKind].map(async ([prefix, own]) => {
      const kind = kinds.get(prefix);
      if (!kind || !mayDo(role, kind.permission)) return [];
      const { path, list, names } = kind;
      return (await names(tx, own)).flatMap(({ id, name, target }) =>
        name ? [{ id, name, path: list ? path : `${path}/${encodeURIComponent(target)}` }] : [],
      );
    }),
  );
  return found.flat();
}

/** Whether a role may read the record with this id or reference. */
export const mayRead = (kinds: RecordKinds, role: HeldRole, id: string): boolean => {
  const kind = kindOfRecord(kinds, id);
  return kind !== undefined && mayDo(role, kind.permission);
};
