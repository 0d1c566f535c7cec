import { ApiError, notFound } from "../../kernel/errors.ts";
import type { ProductCreateBody, ProductPatchBody } from "../../modules/products/schema.ts";
import { deleteUnusedProduct, lockProduct, saveProduct } from "../../modules/products/store.ts";
import type { Product } from "../../modules/products/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { taxOfChange, taxOfPrice } from "../organisations/settings.ts";

/** Creates a product (interface 14.2). The organisation's settings decide its VAT when the body gives none. */
export async function createProduct(tx: Tx, ctx: Ctx, body: ProductCreateBody): Promise<Product> {
  const product: Product = {
    id: newId("prod"),
    name: body.name,
    description: body.description ?? null,
    amount: body.amount,
    currency: body.currency ?? DEFAULT_CURRENCY,
    ...(await taxOfPrice(tx, ctx, body)),
    recurring: body.recurring ?? null,
    enabled: body.enabled ?? true,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  saveProduct(tx, product);
  return product;
}

/** Changes a product; an absent field does not change. Locks it. Throws 404. */
export async function changeProduct(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: ProductPatchBody,
): Promise<{ before: Product; after: Product }> {
  const before = await lockProduct(tx, id);
  if (!before) throw notFound("product");
  const kept = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  const after: Product = {
    ...before,
    name: kept(body.name, before.name),
    description: kept(body.description, before.description),
    amount: kept(body.amount, before.amount),
    currency: kept(body.currency, before.currency),
    ...(await taxOfChange(tx, ctx, before, body)),
    recurring: kept(body.recurring, before.recurring),
    enabled: kept(body.enabled, before.enabled),
    updatedAt: ctx.now,
  };
  saveProduct(tx, after);
  return { before, after };
}

/**
 * Deletes a product that no payment link, checkout, mandate or coupon uses. Locks it. Throws 404; 409 `invalid_state`
 * when one does.
 */
export async function deleteProduct(tx: Tx, id: string): Promise<Product> {
  const product = await lockProduct(tx, id);
  if (!product) throw notFound("product");
  if (await deleteUnusedProduct(tx, product.id)) return product;
  throw new ApiError(
    "invalid_state",
    409,
    "Payment links, checkouts, mandates or coupons use this product, so it cannot be deleted. Disable it instead.",
  );
}
