import { notFound } from "../../kernel/errors.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { SandboxNotifyBody } from "../../modules/sandbox-gateway/schema.ts";
import type { Ctx } from "../context.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { sendSandboxNotification } from "./send-notification.ts";

/**
 * Sends a notification that the caller chooses, also a late, repeated or contradictory one (interface 13.6), through
 * the sandbox account of the organisation that has the payment, or the mandate with that account reference. The gateway
 * has its own ids for the renewals of a subscription, so the transaction's `providerRef` is tried too. Returns the HTTP
 * status of each. Throws 403 for a live organisation, 404 for an unknown reference.
 */
export async function notifyOnDemand(
  services: Services,
  ctx: Ctx,
  { reference, status, times }: SandboxNotifyBody,
): Promise<readonly number[]> {
  const { organisation } = ctx;
  const [accounts, transaction] = await services.db.read(organisation.id, (tx) =>
    Promise.all([listGatewayAccounts(tx), findByReference(tx, reference)]),
  );
  const names = [reference, ...(transaction?.providerRef ? [transaction.providerRef] : [])];
  const known = accounts.filter((one) => gatewayOf(one).adapter.simulated);
  for (const { account, name } of names.flatMap((name) => known.map((account) => ({ account, name })))) {
    const answers = await sendSandboxNotification(services, organisation, account, name, status, times);
    if (!answers) continue;
    const after = { status, times, answers };
    await services.db.transaction(organisation.id, async (tx) =>
      recordAudit(tx, { ...ctx, action: "POST /sandbox/notify", subject: reference, before: null, after }),
    );
    return answers;
  }
  throw notFound("payment or mandate at the sandbox gateway");
}
