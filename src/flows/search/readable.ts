import type { Readable } from "../../domain/records.ts";
import { mayDo, type Permission } from "../../modules/members/rules.ts";
import type { Ctx } from "../context.ts";
import type { RecordKinds } from "./record-kind.ts";

/** What is about no record is about the settings, the books, or a payment by its reference. */
const OTHERS: readonly Permission[] = ["settings:read", "accounting:read", "transactions:read"];

/**
 * The records that the caller may read, for lists of what happened to records of every kind
 * (decisions.md#roles-limit-reading). Null: all, as for API keys, whose scopes are about the list itself.
 */
export function readableBy(kinds: RecordKinds, { actor: { role } }: Pick<Ctx, "actor">): Readable | null {
  if (!role) return null;
  const all = [...kinds.values()];
  const own = all.filter(({ permission }) => mayDo(role, permission));
  const others = OTHERS.every((permission) => mayDo(role, permission));
  if (others && own.length === all.length) return null;
  return { known: all.map(({ prefix }) => prefix), kinds: own.map(({ prefix }) => prefix), others };
}
