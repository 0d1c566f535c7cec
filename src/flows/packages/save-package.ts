import { notFound } from "../../kernel/errors.ts";
import type { PackageCreateBody, PackagePatchBody } from "../../modules/packages/schema.ts";
import { deletePackageRow, deletePlanRows, lockPackage, lockPlans, savePackage } from "../../modules/packages/store.ts";
import type { Package } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { requireUnused } from "./save-plan.ts";

/** Creates a package without plans (interface 4.15). */
export function createPackage(tx: Tx, ctx: Ctx, body: PackageCreateBody): Package {
  const made: Package = {
    id: newId("pkg"),
    name: body.name,
    description: body.description ?? null,
    enabled: body.enabled ?? true,
    plans: [],
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  savePackage(tx, made);
  return made;
}

/** Changes a package; an absent field does not change. Locks it. Throws 404. */
export async function changePackage(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { name, description, enabled }: PackagePatchBody,
): Promise<{ before: Package; after: Package }> {
  const before = await lockPackage(tx, id);
  if (!before) throw notFound("package");
  const after: Package = {
    ...before,
    name: name ?? before.name,
    description: description === undefined ? before.description : description,
    enabled: enabled ?? before.enabled,
    updatedAt: ctx.now,
  };
  savePackage(tx, after);
  return { before, after };
}

/**
 * Deletes a package with its plans. Locks them. Throws 404; 409 `invalid_state` when another record uses one of the
 * plans.
 */
export async function deletePackage(tx: Tx, id: string): Promise<Package> {
  const found = await lockPackage(tx, id);
  if (!found) throw notFound("package");
  const plans = await lockPlans(
    tx,
    found.plans.map((plan) => plan.id),
  );
  await requireUnused(tx, plans, "The package or a plan of it", found.id);
  deletePlanRows(tx, plans);
  deletePackageRow(tx, found.id);
  return found;
}
