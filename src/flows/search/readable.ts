import type { Readable } from "../../domain/records.ts";
import { mayDo, type Permission } from "../../modules/members/rules.ts";
import type { Ctx } from "../context.ts";
import type { RecordKinds } from "./record-kind.ts";

/** What is about no record is about the settings, the books, or a payment by its reference. */
const OTHERS: readonly Permission[] = ["settings:read", "accounting:read", "transactions:read"];

/** What shows a record of another kind, as mails and events do: of them only who may read all kinds reads entries. */
const COPIES: readonly Permission[] = ["emails:read", "events:read"];

/**
 * The records that the caller may read, for lists of what happened to records of every kind
 * (decisions.md#roles-limit-reading). Null: all, as for API keys, whose scopes are about the list itself.
 */
export function readableBy(records: RecordKinds, { actor: { role } }: Pick<Ctx, "actor">): Readable | null {
  if (!role) return null;
  const all = [...records.values()];
  const own = all.filter(({ permission }) => mayDo(role, permission));
  const others = OTHERS.every((permission) => mayDo(role, permission));
  if (others && own.length === all.length) return null;
  const kinds = own.filter(({ permission }) => !COPIES.includes(permission));
  return { known: all.map(({ prefix }) => prefix), kinds: kinds.map(({ prefix }) => prefix), others };
}
