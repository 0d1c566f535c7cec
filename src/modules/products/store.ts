// Writes: products. Reads: checkout_sessions, coupons, mandates, payment_links (whether a product is used).

import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import type { ProductsRow } from "../../domain/rows.ts";
import { vatTimelineOf } from "../../domain/settings.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type { ProductId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import { datedRates, type VatTimeline } from "../../kernel/vat-rates.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { Product } from "./types.ts";

type Row = ProductsRow & { readonly vat_timeline: VatTimeline };

const fromRow = (row: Row): Product => ({
  id: row.id,
  name: row.name,
  description: row.description,
  amount: row.amount_cents,
  currency: row.currency,
  taxRate: decimalOf(row.tax_rate),
  taxExempt: row.tax_exempt,
  standardRate: row.standard_rate,
  ...datedRates(
    { taxRate: decimalOf(row.tax_rate), taxExempt: row.tax_exempt, standardRate: row.standard_rate },
    row.vat_timeline,
  ),
  taxInclusive: row.tax_inclusive,
  recurring: row.recurring_frequency === null ? null : { frequency: row.recurring_frequency },
  enabled: row.enabled,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Null when absent or another organisation's. */
export async function findProduct(tx: Tx, id: string): Promise<Product | null> {
  const [row] = await tx.sql<Row>`select *, ${vatTimelineOf(tx)} as vat_timeline from products
      where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** As `findProduct`, of several: by their ids, those that exist. */
export async function findProducts(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Product>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<Row>`
    select *, ${vatTimelineOf(tx)} as vat_timeline from products where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** As `findProduct`, and locks it until the transaction ends. */
export async function lockProduct(tx: Tx, id: string): Promise<Product | null> {
  const [row] = await locking(tx, "product").sql<Row>`
    select *, ${vatTimelineOf(tx)} as vat_timeline from products where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** As `lockProduct`, of several: the ids of those that exist. */
export async function lockProducts(tx: Tx, ids: readonly string[]): Promise<ProductId[]> {
  if (ids.length === 0) return [];
  const rows = await locking(tx, "product").sql<{ id: ProductId }>`
    select id from products where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for update`;
  return rows.map(({ id }) => id);
}

/** Newest first; `q` searches the name. */
export async function listProducts(tx: Tx, query: ListQuery<"recurring">): Promise<Product[]> {
  const rows = await tx.sql<Row>`
    select *, ${vatTimelineOf(tx)} as vat_timeline from products where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${createdIn(query, "prod", { id: part`id`, createdAt: part`created_at` })}
      ${when(query.recurring, () => part`and recurring_frequency is not null`)}
      ${when(query.q || null, (q) => part`and name ilike ${containing(q)}`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Inserts or updates a product. */
export function saveProduct(tx: Tx, product: Product): void {
  tx.queue`
    insert into products (organisation_id, id, name, description, amount_cents, currency, tax_rate, tax_exempt,
                          standard_rate, tax_inclusive, recurring_frequency, enabled, created_at, updated_at)
    values (${tx.organisation}, ${product.id}, ${product.name}, ${product.description}, ${product.amount}, ${product.currency},
      ${product.taxRate}, ${product.taxExempt}, ${product.standardRate}, ${product.taxInclusive},
      ${product.recurring?.frequency ?? null}, ${product.enabled}, ${product.createdAt}, ${product.updatedAt})
    on conflict (organisation_id, id) do update set name = excluded.name, description = excluded.description,
      amount_cents = excluded.amount_cents, currency = excluded.currency, tax_rate = excluded.tax_rate,
      tax_exempt = excluded.tax_exempt, standard_rate = excluded.standard_rate, tax_inclusive = excluded.tax_inclusive,
      recurring_frequency = excluded.recurring_frequency, enabled = excluded.enabled,
      updated_at = excluded.updated_at`;
}

/** Deletes a product that no link, checkout session, mandate or coupon uses; false when one does. */
export async function deleteUnusedProduct(tx: Tx, id: ProductId): Promise<boolean> {
  const rows = await tx.sql`
    delete from products p where organisation_id = ${tx.organisation} and id = ${id}
       and not exists (select from payment_links l where l.organisation_id = ${tx.organisation} and l.product_id = p.id)
       and not exists (select from checkout_sessions s where s.organisation_id = ${tx.organisation} and s.product_id = p.id)
       and not exists (select from mandates m where m.organisation_id = ${tx.organisation} and m.product_id = p.id)
       and not exists (select from coupons c where c.organisation_id = ${tx.organisation} and p.id = any (c.product_ids))
     returning id`;
  return rows.length > 0;
}
