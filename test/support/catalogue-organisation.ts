import type { Ctx } from "../../src/flows/context.ts";
import { createPackage } from "../../src/flows/packages/save-package.ts";
import { changePlan, createPlan } from "../../src/flows/packages/save-plan.ts";
import type { Services } from "../../src/flows/services.ts";
import { PackageCreate, PlanCreate, PlanPatch } from "../../src/modules/packages/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** Adds a package by the product's own flows, with the plans `fixed`, and `repriced` of two versions. */
export async function addCatalogue({ db }: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(ctx.organisation.id, work);
  const { id } = await write(async (tx) => createPackage(tx, ctx, PackageCreate.parse({ name: "Hosting" })));
  const add = (code: string) =>
    write((tx) => createPlan(tx, ctx, id, PlanCreate.parse({ name: code, code, amount: 100, frequency: "monthly" })));
  await add("fixed");
  const { id: planId } = await add("repriced");
  await write((tx) => changePlan(tx, ctx, { id, planId }, PlanPatch.parse({ amount: 120 })));
}

const plan = (code: string) => `(select id from plans where code = '${code}')`;
const version = (code: string, number: number) =>
  `(select id from plan_versions where plan_id = ${plan(code)} and number = ${number})`;

/** Of what `addCatalogue` made: at least one for every rule about plans. */
export const CATALOGUE_FAULTS: readonly PlantedFault[] = [
  [
    "plans.plan_version_newest",
    plan("repriced"),
    `update plans set plan_version_id = ${version("repriced", 1)} where code = 'repriced'`,
  ],
  [
    "plans.plan_version_newest",
    plan("fixed"),
    `update plans set plan_version_id = ${version("repriced", 2)} where code = 'fixed'`,
  ],
  ["plans.plan_versions_numbered", plan("repriced"), `delete from plan_versions where id = ${version("repriced", 1)}`],
];
