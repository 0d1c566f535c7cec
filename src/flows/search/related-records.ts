import type { Origin, RelatedRow } from "../../domain/records.ts";
import { type HeldRole, mayDo } from "../../modules/members/rules.ts";
import { findByIdOrReference } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { mayRead } from "./name-records.ts";
import { kindOfRecord, PAYMENTS, type RecordKinds } from "./record-kind.ts";

/**
 * The payer's page of a record, and its related records that the role may read (interface 14.2). Empty for an unknown
 * record.
 */
export async function relatedRecords(tx: Tx, ctx: Ctx, kinds: RecordKinds, role: HeldRole, subject: string) {
  const kind = kindOfRecord(kinds, subject);
  if (!kind || !mayDo(role, kind.permission)) return { payerUrl: null, data: [] };
  const [payerUrl, ...found] = await Promise.all([
    kind.payerPage?.(tx, ctx, subject) ?? null,
    kind.related?.(tx, subject) ?? [],
    kind.prefix === PAYMENTS ? paidFor(tx, kinds, subject) : [],
  ]);
  const others = found
    .flat()
    .filter(isThere)
    .filter(({ id }) => id !== subject && mayRead(kinds, role, id));
  return { payerUrl, data: [...new Map(others.map((row) => [row.id, row])).values()] };
}

const isThere = (row: RelatedRow): row is RelatedRow & { readonly id: string } => row.id !== null;

/** The records for which a payment, by its id or reference, was begun: one of each kind with `ofPayment`. */
async function paidFor(tx: Tx, kinds: RecordKinds, payment: string): Promise<RelatedRow[]> {
  const asked = [...kinds.values()].flatMap(({ noun, ofPayment }) => (noun && ofPayment ? { noun, ofPayment } : []));
  const ids = asked.length > 0 ? await findByIdOrReference(tx, payment) : null;
  if (!ids) return [];
  return Promise.all(asked.map(async ({ noun, ofPayment }) => ({ relation: noun, id: await ofPayment(tx, ids.id) })));
}

/** The origin of a record, if its kind can be made from another record; null otherwise, and for one that has none. */
export async function originOf(tx: Tx, kinds: RecordKinds, subject: string): Promise<Origin | null> {
  const kind = kindOfRecord(kinds, subject);
  const [origin] = (await kind?.origin?.(tx, subject)) ?? [];
  if (!origin) return null;
  if (origin.from !== null || kind?.prefix !== PAYMENTS) return origin;
  const [record] = (await paidFor(tx, kinds, origin.id)).filter(isThere);
  return { ...origin, from: record?.id ?? null };
}
