import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { taxedToday } from "../../flows/organisations/settings.ts";
import { changeProduct, createProduct, deleteProduct } from "../../flows/products/save-product.ts";
import { notFound } from "../../kernel/errors.ts";
import { calendarDay, toTimestamp } from "../../kernel/time.ts";
import { ProductCreate, ProductObject, ProductPatch, ProductQuery } from "../../modules/products/schema.ts";
import { findProduct, listProducts } from "../../modules/products/store.ts";
import type { Product } from "../../modules/products/types.ts";
import { productView } from "../../modules/products/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const common = { audience: "staff", tag: { name: "Products", about: "Products with a price." } } as const;
const params = z.object({ id: z.string() });

/** Products. */
const productsCsv = listExport<Product, typeof ProductQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    description: (row) => row.description,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    taxRate: (row) => row.taxRate,
    taxExempt: (row) => String(row.taxExempt),
    taxInclusive: (row) => String(row.taxInclusive),
    frequency: (row) => row.recurring?.frequency ?? null,
    enabled: (row) => String(row.enabled),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: async (tx, query, ctx) => (await listProducts(tx, query)).map((one) => taxedToday(ctx, one)),
});

/** The endpoints of interface 14.2, products. */
export const productEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/products",
    summary: "List products, newest first",
    permission: "products:read",
    query: ProductQuery,
    replies: { 200: listOf(ProductObject) },
    async handle(call, tx) {
      return listed(
        call,
        (wanted) => listProducts(tx, wanted),
        (one) => productView(one, calendarDay(call.ctx.now)),
      );
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/products",
    summary: "Create a product",
    permission: "products:write",
    idempotent: true,
    body: ProductCreate,
    replies: { 201: ProductObject },
    async handle({ ctx, body }, tx) {
      return created(productView(await createProduct(tx, ctx, body), calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/products/{id}",
    summary: "Get a product",
    permission: "products:read",
    params,
    replies: { 200: ProductObject },
    async handle({ ctx, params: { id } }, tx) {
      const product = await findProduct(tx, id);
      if (!product) throw notFound("product");
      return { status: 200, body: productView(product, calendarDay(ctx.now)) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "PATCH",
    path: "/products/{id}",
    edits: true,
    summary: "Change a product",
    permission: "products:write",
    params,
    body: ProductPatch,
    replies: { 200: ProductObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changeProduct(tx, ctx, id, body);
      return changed(productView(before, calendarDay(ctx.now)), productView(after, calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "DELETE",
    path: "/products/{id}",
    summary: "Delete a product that no payment link, checkout, mandate or coupon uses",
    permission: "products:write",
    params,
    replies: { 200: ProductObject },
    async handle({ ctx, params: { id } }, tx) {
      return removed(productView(await deleteProduct(tx, id), calendarDay(ctx.now)));
    },
  }),
  listEndpoint("products", "Products", "products:read", ProductQuery.omit(PAGING), productsCsv),
];
