import type { Credentials, GatewayAdapter, GatewayCall } from "../../gateways/contract.ts";
import { gatewayHttp } from "../../gateways/http.ts";
import { acceptsCurrency, findAdapter } from "../../gateways/registry.ts";
import { assert } from "../../kernel/assert.ts";
import type { BankDetails } from "../../kernel/bank-details.ts";
import type { Instant } from "../../kernel/time.ts";
import { CREDENTIALS_COLUMN } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Installation, realTime } from "../context.ts";
import type { Services } from "../services.ts";

/** An account with what its gateway can do. */
export interface Gateway {
  readonly account: GatewayAccount;
  readonly adapter: GatewayAdapter;
}

/** Throws when the account's type is no longer known: a fault of the build, not of the caller. */
export function gatewayOf(account: GatewayAccount): Gateway {
  const adapter = findAdapter(account.type);
  assert(adapter, `gateway type ${account.type} has an adapter`);
  return { account, adapter };
}

/** Enabled accounts whose pages can take a payment in the currency, in the order in which payers see them. */
export const checkoutGateways = (accounts: readonly GatewayAccount[], currency: string): Gateway[] =>
  accounts
    .filter((account) => account.enabled && account.currencies.includes(currency))
    .map(gatewayOf)
    .filter(({ adapter }) => adapter.checkout !== undefined && acceptsCurrency(adapter, currency));

/** Enabled accounts in the currency that payers deposit to by hand, oldest first (interface 4.2, behaviour 4). */
export const manualTransferAccounts = (accounts: readonly GatewayAccount[], currency: string): GatewayAccount[] =>
  accounts.filter(
    ({ enabled, currencies, type }) => enabled && currencies.includes(currency) && isManualTransfer(type),
  );

/** Whether payers deposit by hand at gateways of the type: its money goes to the bank itself. */
export const isManualTransfer = (type: string): boolean => findAdapter(type)?.manualBankTransfer !== undefined;

/** Whether an enabled Manual EFT account lists the currency (interface 4.2). */
export const hasManualTransfer = (accounts: readonly GatewayAccount[], currency: string): boolean =>
  manualTransferAccounts(accounts, currency).length > 0;

/** What opens an account's credentials. */
type CredentialsOwner = Pick<Installation, "secrets"> & { readonly organisation: Pick<Organisation, "id"> };

/** What staff gave for the account, and what its gateway told when it was connected. Secret. */
export function credentialsOf({ secrets, organisation }: CredentialsOwner, account: GatewayAccount): Credentials {
  const context = { organisation: organisation.id, column: CREDENTIALS_COLUMN };
  return JSON.parse(secrets.open(account.credentialsSealed, context)) as Credentials;
}

/** Where payers deposit (interface 2.11). The account must be one of `manualTransferAccounts`, or have been. */
export function bankDetailsOf(ctx: CredentialsOwner, account: GatewayAccount): BankDetails {
  const { manualBankTransfer } = gatewayOf(account).adapter;
  assert(manualBankTransfer, `payers deposit to ${account.id} by hand`);
  return manualBankTransfer(credentialsOf(ctx, account));
}

/** What an adapter may know for one call (gateways/contract.ts). */
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
    http: gatewayHttp,
    now,
    machineNow: realTime(),
  };
}

/** Where an account's gateway reports to (interface 17.3). */
export const notifyUrlOf = ({ baseUrl }: Pick<Installation, "baseUrl">, account: GatewayAccount): string =>
  `${baseUrl}/api/webhooks/${account.type}?account=${account.id}`;

/** Interface 2.7: a payment whose money is not real carries the sandbox marker. */
export const isSandboxPayment = (organisation: Organisation, account: GatewayAccount): boolean =>
  organisation.sandbox || account.mode === "sandbox";
