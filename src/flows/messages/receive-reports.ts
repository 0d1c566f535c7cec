import type { MessageReport, RawReport } from "../../gateways/messaging/contract.ts";
import { REPORTS_PAGE } from "../../modules/messages/declarations.ts";
import { phoneOf, wishOf } from "../../modules/messages/rules.ts";
import { applyReport, deleteOptOut, findMessageAccountById, insertOptOut } from "../../modules/messages/store.ts";
import type { MessageAccount } from "../../modules/messages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, contextFor } from "../context.ts";
import { openHostedLink } from "../hosted-links.ts";
import type { Services } from "../services.ts";
import { messageCredentialsOf, providerOf } from "./accounts.ts";
import { confirmOptOut } from "./request-message.ts";

/** The account of an address for reports, with its context; null when the address was not made here, or the account is gone. */
export async function openReports(services: Services, token: string, ip: string | null) {
  const opened = await openHostedLink(services, REPORTS_PAGE, token);
  if (!opened) return null;
  const { organisation, id } = opened;
  const account = await services.db.read(organisation.id, (tx) => findMessageAccountById(tx, id));
  if (!account) return null;
  const ctx = contextFor(services, organisation, { kind: "gateway", id: account.id, name: account.provider, ip });
  return { ctx, account };
}

/**
 * Receives what a provider reports at the address of an account, all of it in one transaction; it has no effect a
 * second time. False when it is not the provider's.
 */
export async function receiveReports(
  services: Services,
  { ctx, account }: { readonly ctx: Ctx; readonly account: MessageAccount },
  raw: RawReport,
): Promise<boolean> {
  const reports = providerOf(account).read(raw, messageCredentialsOf(ctx, account));
  if ("reason" in reports) {
    services.log.warn({ account: account.id, why: reports.reason }, "message report refused");
    return false;
  }
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    for (const report of reports) await apply(tx, ctx, account, report);
  });
  return true;
}

async function apply(tx: Tx, ctx: Ctx, account: MessageAccount, report: MessageReport): Promise<void> {
  if (report.kind === "status") return applyReport(tx, account.provider, report, ctx.now);
  const wish = wishOf(report.text);
  const phone = phoneOf(`+${report.from.replaceAll(/\D/g, "")}`);
  if (wish === null || phone === null) return;
  if (wish === "start") await deleteOptOut(tx, phone);
  else if ((await insertOptOut(tx, { phone, createdAt: ctx.now })) && account.enabled)
    await confirmOptOut(tx, ctx, account, phone);
}
