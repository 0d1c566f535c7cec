import type { Role } from "../../modules/members/types.ts";
import { relatedTo } from "../../modules/search/store/related-records.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { mayRead } from "./name-records.ts";
import { payerPage } from "./payer-page.ts";

/** The payer's page of a record, and its related records that the role may read (interface 14.2). Empty for an unknown record. */
export async function relatedRecords(tx: Tx, ctx: Ctx, role: Role, subject: string) {
  if (!mayRead(role, subject)) return { payerUrl: null, data: [] };
  const [payerUrl, data] = await Promise.all([payerPage(tx, ctx, subject), relatedTo(tx, subject)]);
  return { payerUrl, data: data.filter(({ id }) => mayRead(role, id)) };
}
