import { kindOf, type TransactionId } from "../../kernel/ids.ts";
import type { Permission } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Finder, Names, Origins, Related } from "../../platform/records.ts";
import type { Ctx } from "../context.ts";

/**
 * The part of one kind of record in the endpoints about records of all kinds: names, search, related records, timelines, notes
 * (decisions.md#records-are-named-by-id). The catalogue lists it with its resource. A new resource has its statements in the store of its
 * module; those of the older ones are together in the module `search`.
 */
export interface RecordKind {
  /** The prefix of their ids, such as `inv`. */
  readonly prefix: string;
  /** The API's name of the kind, such as `invoice`, in search results and related records. */
  readonly noun?: string;
  /** The permission that a role needs to read them. */
  readonly permission: Permission;
  /** Their path below `/dashboard/api` and `/dashboard`. */
  readonly path: string;
  /** They have no pages of their own: the path is that of their list. */
  readonly list?: true;
  /** Reads their names. */
  readonly names: Names;
  /** Finds them in the search for records of all kinds; needs a `noun`. */
  readonly search?: Finder;
  /** Reads the related records of one of them. */
  readonly related?: Related;
  /** Reads the origin of one that was made from another record, or by nobody of the organisation. */
  readonly origin?: Origins;
  /** Reads the id of the one for which a payment, by its id, was begun; null when there is none. It is a related record of the payment, and the origin in its timeline. */
  readonly ofPayment?: (tx: Tx, payment: TransactionId) => Promise<string | null>;
  /** The address at which the payer sees one of them; null when there is none, and for an unknown one. */
  readonly payerPage?: (tx: Tx, ctx: Ctx, id: string) => Promise<string | null>;
}

/** Every kind of record, by the prefix of its ids, in the order of the catalogue. */
export type RecordKinds = ReadonlyMap<string, RecordKind>;

/** The prefix of the ids of payments. */
export const PAYMENTS = "txn";

/** The kind of the record with this id; a text that is no id of a kind is the reference of a payment. */
export const kindOfRecord = (kinds: RecordKinds, id: string): RecordKind | undefined =>
  kinds.get(kindOf(id)) ?? kinds.get(PAYMENTS);
