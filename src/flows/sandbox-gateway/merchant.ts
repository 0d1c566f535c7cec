import { merchantOf } from "../../gateways/sandbox/server.ts";
import { sameSignature } from "../../gateways/signatures.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Ctx, contextFor } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";

/** A merchant with an account at the sandbox gateway, from the gateway's side. */
export interface SandboxMerchant {
  readonly ctx: Ctx;
  readonly account: GatewayAccount;
  readonly merchantId: string;
  /** Signs the gateway's notifications. */
  readonly secret: string;
}

/** The merchant of a gateway account; null unless it is a sandbox gateway's account of a sandbox organisation. */
export function sandboxMerchantOf(
  services: Services,
  organisation: Organisation,
  account: GatewayAccount,
): SandboxMerchant | null {
  if (!organisation.sandbox || !gatewayOf(account).adapter.simulated) return null;
  const ctx = contextFor(services, organisation, { kind: "gateway", id: account.id, name: account.name, ip: null });
  const { merchantId = "", secret = "" } = gatewayCallOf(services, organisation, account, ctx.now).credentials;
  return { ctx, account, merchantId, secret };
}

/**
 * The merchant of an account id within an organisation, for work that the gateway does without a request; null when the
 * account was deleted.
 */
export async function merchantOfGatewayAccount(
  services: Services,
  { organisation }: Pick<Ctx, "organisation">,
  accountId: GatewayAccountId,
): Promise<SandboxMerchant | null> {
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  return account && sandboxMerchantOf(services, organisation, account);
}

/** The merchant of an account id; null unless it is an account at the sandbox gateway. */
export async function findMerchant(services: Services, accountId: string): Promise<SandboxMerchant | null> {
  if (!/^gw_[0-9a-z]{26}$/.test(accountId)) return null;
  const organisation = await organisationOfGatewayAccount(services.db, accountId);
  const account = organisation && (await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId)));
  return organisation && account ? sandboxMerchantOf(services, organisation, account) : null;
}

/** The merchant who calls the gateway's API; null when account, merchant id and secret do not match. */
export async function authenticateMerchant(
  services: Services,
  accountId: string,
  authorization: string | undefined,
): Promise<SandboxMerchant | null> {
  const given = merchantOf(authorization);
  const merchant = given && (await findMerchant(services, accountId));
  if (!given || !merchant) return null;
  return given.merchantId === merchant.merchantId && sameSignature(given.secret, merchant.secret) ? merchant : null;
}
