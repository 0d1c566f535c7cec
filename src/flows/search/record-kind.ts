import type { RecordKind as Declared } from "../../domain/records.ts";
import { kindOf } from "../../kernel/ids.ts";
import type { Permission } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** Reads the address at which the payer sees a record; null when there is none, and for an unknown record. */
export type PayerPage = (tx: Tx, ctx: Ctx, id: string) => Promise<string | null>;

/** A kind of record in the catalogue, with the page on which payers see it. */
export interface RecordKind extends Declared<Permission> {
  readonly payerPage?: PayerPage;
}

/** Every kind of record, by the prefix of its ids, in the order of the catalogue. */
export type RecordKinds = ReadonlyMap<string, RecordKind>;

/** The prefix of the ids of payments. */
export const PAYMENTS = "txn";

/** The kind of the record with this id; a text that is not an id of any kind is the reference of a payment. */
export const kindOfRecord = (kinds: RecordKinds, id: string): RecordKind | undefined =>
  kinds.get(kindOf(id)) ?? kinds.get(PAYMENTS);
