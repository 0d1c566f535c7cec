import { kindOf } from "../../kernel/ids.ts";
import type { Permission } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Finder, Names, Origins, Related } from "../../platform/records.ts";
import type { Ctx } from "../context.ts";

/**
 * How records of one kind take part in what is about records of all kinds: names, search, related records, timelines, notes. The catalogue lists it
 * with its resource. A new resource has its statements in the store of its module; those of the older ones stand together in the module `search`.
 */
export interface RecordKind {
  /** What their ids begin with, such as `inv`. */
  readonly prefix: string;
  /** What the API calls one of them, such as `invoice`, where a search finds it or another record concerns it. */
  readonly noun?: string;
  /** What a role must read to be told of them. */
  readonly permission: Permission;
  /** Where they are shown, below `/dashboard/api` and `/dashboard`. */
  readonly path: string;
  /** They have no pages of their own: the path is that of their list. */
  readonly list?: true;
  /** What they are called. */
  readonly names: Names;
  /** What the search for records of all kinds finds of them; they have a `noun` then. */
  readonly search?: Finder;
  /** The records that one of them concerns. */
  readonly related?: Related;
  /** How one came about that another record, or nobody of the organisation, has made. */
  readonly origin?: Origins;
  /** The one of them that a payment, by its id, was begun for; null when it was begun for none. The payment leads to it, and its timeline begins with it. */
  readonly ofPayment?: (tx: Tx, payment: string) => Promise<string | null>;
  /** The address at which the payer sees one of them; null when there is none, and for an unknown one. */
  readonly payerPage?: (tx: Tx, ctx: Ctx, id: string) => Promise<string | null>;
}

/** Every kind of record, by what its ids begin with, in the order of the catalogue. */
export type RecordKinds = ReadonlyMap<string, RecordKind>;

/** What the ids of payments begin with. */
export const PAYMENTS = "txn";

/** The kind of the record with this id; a text that is no id of a kind is the reference of a payment. */
export const kindOfRecord = (kinds: RecordKinds, id: string): RecordKind | undefined =>
  kinds.get(kindOf(id)) ?? kinds.get(PAYMENTS);
