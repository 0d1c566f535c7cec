import type { Credentials, GatewayAdapter, GatewayCall } from "../../gateways/contract.ts";
import { acceptsCurrency, findAdapter } from "../../gateways/registry.ts";
import { assert } from "../../kernel/assert.ts";
import type { BankDetails } from "../../kernel/bank-details.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { CREDENTIALS_COLUMN } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { isDown } from "../../modules/gateway-health/rules.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Installation, realTime } from "../context.ts";
import type { Services } from "../services.ts";

/** A gateway account and the adapter of its type. */
export interface Gateway {
  readonly account: GatewayAccount;
  readonly adapter: GatewayAdapter;
}

/** The gateway of an account. Throws an AssertionError when this version has no adapter of the type. */
export function gatewayOf(account: GatewayAccount): Gateway {
  const adapter = findAdapter(account.type);
  assert(adapter, `gateway type ${account.type} has an adapter`);
  return { account, adapter };
}

/**
 * Enabled gateway accounts with a checkout in the currency, in the order in which payers see them: accounts that are
 * down come last, and can still be chosen.
 */
export function checkoutGateways(accounts: readonly GatewayAccount[], currency: string): Gateway[] {
  return accounts
    .filter((account) => account.enabled && account.currencies.includes(currency))
    .map(gatewayOf)
    .filter(({ adapter }) => adapter.checkout !== undefined && acceptsCurrency(adapter, currency))
    .toSorted((one, other) => Number(seemsDown(one)) - Number(seemsDown(other)));
}

/**
 * Whether payers are offered other gateways first: several calls in a row had no clear answer, the last of them a short
 * time ago.
 */
export const seemsDown = ({ account: { unclear } }: Gateway): boolean =>
  unclear !== undefined && isDown(unclear, realTime());

/** The smallest payment in the currency that the gateway's pages accept; null when there is none. */
export function minimumAmount({ account, adapter: { checkout } }: WithMode, currency: string): Cents | null {
  if (checkout?.sandboxTakesAll && account.mode === "sandbox") return null;
  return checkout?.minimumAmounts[currency] ?? null;
}
type WithMode = Pick<Gateway, "adapter"> & { readonly account: Pick<GatewayAccount, "mode"> };

/** Whether the gateway's pages accept this amount, which may be too small. */
export function takesAmount(gateway: WithMode, amount: Cents, currency: string): boolean {
  const minimum = minimumAmount(gateway, currency);
  return minimum === null || amount >= minimum;
}

/** Enabled Manual EFT accounts in the currency, oldest first (interface 4.2, behaviour 4). */
export const manualTransferAccounts = (accounts: readonly GatewayAccount[], currency: string): GatewayAccount[] =>
  accounts.filter(
    ({ enabled, currencies, type }) => enabled && currencies.includes(currency) && isManualTransfer(type),
  );

/** Whether payers transfer the money themselves at this type of gateway; it then reaches the bank, not a gateway. */
export const isManualTransfer = (type: string): boolean => findAdapter(type)?.manualBankTransfer !== undefined;

/** Whether an enabled Manual EFT account lists the currency (interface 4.2). */
export const hasManualTransfer = (accounts: readonly GatewayAccount[], currency: string): boolean =>
  manualTransferAccounts(accounts, currency).length > 0;

/** The parts of a context that `credentialsOf` needs to decrypt. */
type CredentialsOwner = Pick<Installation, "secrets"> & { readonly organisation: Pick<Organisation, "id"> };

/**
 * The decrypted credentials of an account: those that staff entered, and those that the gateway returned when it was
 * connected. Secret.
 */
export function credentialsOf({ secrets, organisation }: CredentialsOwner, account: GatewayAccount): Credentials {
  const context = { organisation: organisation.id, column: CREDENTIALS_COLUMN };
  return JSON.parse(secrets.open(account.credentialsSealed, context)) as Credentials;
}

/**
 * The bank details that payers transfer to (interface 2.11). Throws an AssertionError for an account that is not Manual
 * EFT.
 */
export function bankDetailsOf(ctx: CredentialsOwner, account: GatewayAccount): BankDetails {
  const { manualBankTransfer } = gatewayOf(account).adapter;
  assert(manualBankTransfer, `payers deposit to ${account.id} by hand`);
  return manualBankTransfer(credentialsOf(ctx, account));
}

/** The context of one call of an adapter (gateways/contract.ts). */
export function gatewayCallOf(
  services: Services,
  organisation: Organisation,
  account: GatewayAccount,
  now: Instant,
): GatewayCall {
  return {
    credentials: credentialsOf({ secrets: services.secrets, organisation }, account),
    accountId: account.id,
    mode: account.mode,
    baseUrl: services.gatewayUrl(gatewayOf(account).adapter),
    sources: services.gatewaySources(account.type),
    http: services.gatewayHttp,
    now,
    machineNow: realTime(),
  };
}

/** The URL to which the gateway sends notifications of this account (interface 17.3). */
export const notifyUrlOf = ({ baseUrl }: Pick<Installation, "baseUrl">, account: GatewayAccount): string =>
  `${baseUrl}/api/webhooks/${account.type}?account=${account.id}`;

/**
 * Whether the money of a payment through this account is not real; such a payment has the sandbox marker
 * (interface 2.7).
 */
export const isSandboxPayment = (organisation: Organisation, account: GatewayAccount): boolean =>
  organisation.sandbox || account.mode === "sandbox";
