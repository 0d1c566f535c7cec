import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { taxedToday } from "../../flows/organisations/settings.ts";
import { changePackage, createPackage, deletePackage } from "../../flows/packages/save-package.ts";
import { changePlan, createPlan, deletePlan } from "../../flows/packages/save-plan.ts";
import { notFound } from "../../kernel/errors.ts";
import { calendarDay, toTimestamp } from "../../kernel/time.ts";
import {
  PackageCreate,
  PackageObject,
  PackagePatch,
  PackageQuery,
  PlanCreate,
  PlanObject,
  PlanPatch,
  PlanQuery,
} from "../../modules/packages/schema.ts";
import { findPackage, listPackages, listPlans } from "../../modules/packages/store.ts";
import type { Package, Plan } from "../../modules/packages/types.ts";
import { packageView, planView } from "../../modules/packages/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const tag = { name: "Packages and plans", about: "What customers subscribe to, and at which prices." };
const common = { audience: "clients", tag } as const;
const params = z.object({ id: z.string() });
const planParams = z.object({ id: z.string(), planId: z.string() });

const numberOf = (value: number | null | undefined): string | null => (value == null ? null : String(value));

/** A package with one of its plans; null for a package without any. */
interface PlanRow extends Omit<Package, "plans"> {
  readonly plan: Plan | null;
}

/** Packages, a row for each plan. */
const packagesCsv = listExport<PlanRow, typeof PackageQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    description: (row) => row.description,
    enabled: (row) => String(row.enabled),
    planId: (row) => row.plan?.id ?? null,
    planCode: (row) => row.plan?.code ?? null,
    planName: (row) => row.plan?.name ?? null,
    planEnabled: (row) => row.plan && String(row.plan.enabled),
    amount: (row) => row.plan?.amount ?? null,
    currency: (row) => row.plan?.currency ?? null,
    frequency: (row) => row.plan?.frequency ?? null,
    setupFee: (row) => row.plan?.setupFee ?? null,
    trialDays: (row) => numberOf(row.plan?.trialDays),
    cycles: (row) => numberOf(row.plan?.cycles),
    taxRate: (row) => row.plan?.taxRate ?? null,
    taxExempt: (row) => row.plan && String(row.plan.taxExempt),
    taxInclusive: (row) => row.plan && String(row.plan.taxInclusive),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: async (tx, query, ctx) =>
    (await listPackages(tx, query)).flatMap(({ plans, ...one }) =>
      (plans.length === 0 ? [null] : plans).map((plan) => ({ ...one, plan: plan && taxedToday(ctx, plan) })),
    ),
});

/** The endpoints of interface 4.15, packages. */
const ofPackages = [
  endpoint({
    ...common,
    method: "GET",
    path: "/packages",
    summary: "List packages with their plans, newest first",
    permission: "packages:read",
    query: PackageQuery,
    replies: { 200: listOf(PackageObject) },
    async handle(call, tx) {
      return listed(
        call,
        (wanted) => listPackages(tx, wanted),
        (one) => packageView(one, calendarDay(call.ctx.now)),
      );
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/packages",
    summary: "Create a package",
    permission: "packages:write",
    idempotent: true,
    body: PackageCreate,
    replies: { 201: PackageObject },
    async handle({ ctx, body }, tx) {
      return created(packageView(createPackage(tx, ctx, body), calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/packages/{id}",
    summary: "Get a package with its plans",
    permission: "packages:read",
    params,
    replies: { 200: PackageObject },
    async handle({ ctx, params: { id } }, tx) {
      const found = await findPackage(tx, id);
      if (!found) throw notFound("package");
      return { status: 200, body: packageView(found, calendarDay(ctx.now)) };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/packages/{id}",
    edits: true,
    summary: "Change a package",
    permission: "packages:write",
    params,
    body: PackagePatch,
    replies: { 200: PackageObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changePackage(tx, ctx, id, body);
      return changed(packageView(before, calendarDay(ctx.now)), packageView(after, calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/packages/{id}",
    summary: "Delete a package and its plans, none of which is used",
    permission: "packages:write",
    params,
    replies: { 200: PackageObject },
    async handle({ ctx, params: { id } }, tx) {
      return removed(packageView(await deletePackage(tx, id), calendarDay(ctx.now)));
    },
  }),
  listEndpoint("packages", "Packages, a row for each plan,", "packages:read", PackageQuery.omit(PAGING), packagesCsv),
];

/** The endpoints of interface 4.15, plans. */
const ofPlans = [
  endpoint({
    ...common,
    method: "GET",
    path: "/plans",
    summary: "List plans, newest first, or find one by its code",
    permission: "packages:read",
    query: PlanQuery,
    replies: { 200: listOf(PlanObject) },
    async handle(call, tx) {
      return listed(
        call,
        (wanted) => listPlans(tx, wanted, null),
        (one) => planView(one, calendarDay(call.ctx.now)),
      );
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/packages/{id}/plans",
    summary: "Create a plan of a package",
    permission: "packages:write",
    idempotent: true,
    params,
    body: PlanCreate,
    replies: { 201: PlanObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return created(planView(await createPlan(tx, ctx, id, body), calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/packages/{id}/plans",
    summary: "List the plans of a package, newest first",
    permission: "packages:read",
    params,
    query: PlanQuery,
    replies: { 200: listOf(PlanObject) },
    async handle(call, tx) {
      const parent = await findPackage(tx, call.params.id);
      if (!parent) throw notFound("package");
      return listed(
        call,
        (wanted) => listPlans(tx, wanted, parent.id),
        (one) => planView(one, calendarDay(call.ctx.now)),
      );
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/packages/{id}/plans/{planId}",
    edits: true,
    summary: "Change a plan; another price is for those who subscribe from now on",
    permission: "packages:write",
    params: planParams,
    body: PlanPatch,
    replies: { 200: PlanObject },
    async handle({ ctx, params: of, body }, tx) {
      const { before, after } = await changePlan(tx, ctx, of, body);
      return changed(planView(before, calendarDay(ctx.now)), planView(after, calendarDay(ctx.now)));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/packages/{id}/plans/{planId}",
    summary: "Delete a plan that no record uses",
    permission: "packages:write",
    params: planParams,
    replies: { 200: PlanObject },
    async handle({ ctx, params: of }, tx) {
      return removed(planView(await deletePlan(tx, of), calendarDay(ctx.now)));
    },
  }),
];

/** The endpoints of interface 4.15. */
export const packageEndpoints = [...ofPackages, ...ofPlans];
