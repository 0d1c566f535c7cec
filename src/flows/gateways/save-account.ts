import type { Connection, Credentials, GatewayAdapter } from "../../gateways/contract.ts";
import { checkCredentials, keyFault } from "../../gateways/credentials.ts";
import { acceptsCurrency, findAdapter, harmlessCheck } from "../../gateways/registry.ts";
import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { GatewayAccountCreateBody, GatewayAccountPatchBody } from "../../modules/gateway-accounts/schema.ts";
import {
  CREDENTIALS_COLUMN,
  deleteUnusedGatewayAccount,
  insertGatewayAccount,
  lockGatewayAccount,
  updateGatewayAccount,
} from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import type { Services } from "../services.ts";
import { credentialsOf, gatewayCallOf, gatewayOf, notifyUrlOf } from "./accounts.ts";
import { askGateway } from "./ask-gateway.ts";
import { refuseWrongTransferAccount } from "./refuse-wrong-account.ts";

/**
 * Creates an account at a gateway that needs no `connectGatewayAccount` (interface 14.2). Throws as
 * `newGatewayAccount`.
 */
export async function createGatewayAccount(tx: Tx, ctx: Ctx, body: GatewayAccountCreateBody): Promise<GatewayAccount> {
  const account = newGatewayAccount(ctx, body);
  insertGatewayAccount(tx, account);
  return account;
}

/**
 * Makes a new account, which is not stored yet. Throws 400 for an unknown type, a simulated gateway in a live
 * organisation, and invalid credentials or currencies.
 */
export function newGatewayAccount(ctx: Ctx, body: GatewayAccountCreateBody): GatewayAccount {
  const adapter = findAdapter(body.type);
  if (!adapter)
    throw invalidField(["type"], `No such gateway type: ${body.type}. GET /gateway-types lists those there are.`);
  if (adapter.simulated && !ctx.organisation.sandbox)
    throw invalidField(["type"], `Only a sandbox organisation may use the gateway type ${adapter.type}.`);
  const account: GatewayAccount = {
    id: newId("gw"),
    type: adapter.type,
    name: body.name ?? adapter.name,
    mode: body.mode ?? (ctx.organisation.sandbox ? "sandbox" : "live"),
    enabled: body.enabled ?? true,
    credentialsSealed: seal(ctx, checked(adapter, body.credentials ?? {}, {})),
    currencies: currenciesOf(adapter, body.currencies),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  refuseWrongTransferAccount(ctx, account);
  return account;
}

/**
 * Lets the gateway check the credentials and set up what it needs, if its adapter can. Calls the gateway, so never
 * inside a transaction. Throws 400 when it refuses, or its keys are not for the account's mode, 502 `gateway_error`
 * when it gives no clear answer.
 */
export async function connectGatewayAccount(
  ctx: Ctx,
  services: Services,
  account: GatewayAccount,
): Promise<GatewayAccount> {
  const { adapter } = gatewayOf(account);
  const { check, connect } = adapter;
  if (!check && !connect) return account;
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const fault = keyFault(adapter, call);
  if (fault) throw invalidField(["credentials"], fault);
  const connection = await askGateway(services, { gateway: account.id }, async () => {
    if (connect) return connect({ notifyUrl: notifyUrlOf(ctx, account) }, call);
    return (await check?.(call)) ?? NOTHING_NEW;
  });
  if (connection === "unclear")
    throw new ApiError("gateway_error", 502, `${adapter.name} gave no clear answer. Try again shortly.`);
  if (connection.kind === "refused")
    throw invalidField(["credentials"], `${adapter.name} refused: ${connection.reason}`);
  const registered =
    adapter.notifications?.urlIsSet === "by connect" ? { [REGISTERED_URL]: notifyUrlOf(ctx, account) } : {};
  const credentials = { ...call.credentials, ...connection.credentials, ...registered };
  return { ...account, credentialsSealed: seal(ctx, credentials) };
}

/** The field beside the credentials that holds the notification address which `connect` registered. */
export const REGISTERED_URL = "webhookUrl";

const NOTHING_NEW: Connection = { kind: "connected", credentials: {} };

/** The gateway's answer about unsaved credentials. */
export interface ConnectionTest {
  readonly result: "works" | "refused" | "unclear" | "not_asked";
  readonly message: string;
}

/**
 * Asks the gateway of an account whether it accepts its credentials; changes nothing there. Calls the gateway, so never
 * inside a transaction.
 */
export async function testGatewayAccount(
  ctx: Ctx,
  services: Services,
  account: GatewayAccount,
): Promise<ConnectionTest> {
  const { adapter } = gatewayOf(account);
  const ask = harmlessCheck(adapter);
  const { name } = adapter;
  if (!ask) return { result: "not_asked", message: `${name} cannot be asked: a first payment will tell.` };
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const fault = keyFault(adapter, call);
  if (fault) return { result: "refused", message: fault };
  const answer = await askGateway(services, { tested: account.type }, () =>
    ask({ notifyUrl: notifyUrlOf(ctx, account) }, call),
  );
  if (answer === "unclear") return { result: "unclear", message: `${name} gave no clear answer. Try again shortly.` };
  return answer.kind === "refused"
    ? { result: "refused", message: `${name} refused: ${answer.reason}` }
    : { result: "works", message: `${name} takes these credentials.` };
}

/**
 * The account after a PATCH, not stored yet. An absent field does not change, nor does an absent credential. Throws 400
 * for an invalid field.
 */
export function changedGatewayAccount(
  ctx: Ctx,
  before: GatewayAccount,
  changes: GatewayAccountPatchBody,
): GatewayAccount {
  const { adapter } = gatewayOf(before);
  for (const field of ["type", "mode"] as const)
    if (changes[field] !== undefined && changes[field] !== before[field])
      throw invalidField([field], `The ${field} of an account cannot change. Add another account instead.`);
  const after: GatewayAccount = {
    ...before,
    name: changes.name ?? before.name,
    enabled: changes.enabled ?? before.enabled,
    currencies: changes.currencies ? currenciesOf(adapter, changes.currencies) : before.currencies,
    credentialsSealed: changes.credentials
      ? seal(ctx, checked(adapter, changes.credentials, credentialsOf(ctx, before)))
      : before.credentialsSealed,
    updatedAt: ctx.now,
  };
  if (changes.credentials) refuseWrongTransferAccount(ctx, after);
  return after;
}

/**
 * Stores the changes that `changedGatewayAccount` made to `read`. Locks the account. Throws 404 when it has been
 * deleted, 409 `invalid_state` when its credentials were changed since `read`.
 */
export async function saveGatewayAccount(
  tx: Tx,
  read: GatewayAccount,
  changed: GatewayAccount,
): Promise<{ before: GatewayAccount; after: GatewayAccount }> {
  const before = await lockGatewayAccount(tx, read.id);
  if (!before) throw notFound("gateway account");
  if (changed.credentialsSealed !== read.credentialsSealed && before.credentialsSealed !== read.credentialsSealed)
    throw new ApiError("invalid_state", 409, "The credentials were changed by somebody else just now. Try again.");
  const kept = <K extends "name" | "enabled" | "currencies" | "credentialsSealed">(field: K) =>
    changed[field] === read[field] ? before[field] : changed[field];
  const after: GatewayAccount = {
    ...before,
    name: kept("name"),
    enabled: kept("enabled"),
    currencies: kept("currencies"),
    credentialsSealed: kept("credentialsSealed"),
    updatedAt: changed.updatedAt,
  };
  updateGatewayAccount(tx, after);
  return { before, after };
}

/**
 * Deletes an account that has neither payments nor mandates. Locks it. Throws 404; 409 `invalid_state` when it has
 * some.
 */
export async function deleteGatewayAccount(tx: Tx, id: string): Promise<GatewayAccount> {
  const account = await lockGatewayAccount(tx, id);
  if (!account) throw notFound("gateway account");
  if (await deleteUnusedGatewayAccount(tx, account.id)) return account;
  throw new ApiError(
    "invalid_state",
    409,
    "Payments were made through this account, or mandates belong to it, so it cannot be deleted. Disable it instead.",
  );
}

/**
 * The checked credentials. Those that the gateway returned when it was connected are not fields of the form, so they
 * are kept. Throws 400.
 */
function checked(adapter: GatewayAdapter, given: Readonly<Record<string, unknown>>, kept: Credentials): Credentials {
  const result = checkCredentials(adapter.credentialFields, given, kept);
  if (result.kind === "wrong")
    throw invalid(`Invalid credentials: ${result.issues[0]?.message ?? "they do not fit."}`, result.issues);
  const ours = new Set(adapter.credentialFields.map(({ name }) => name));
  const fromGateway = Object.entries(kept).filter(([name]) => !ours.has(name));
  return { ...Object.fromEntries(fromGateway), ...result.credentials };
}

function currenciesOf(adapter: GatewayAdapter, given: readonly string[] | undefined): readonly string[] {
  if (!given)
    return adapter.currencies === "any" || adapter.currencies.includes(DEFAULT_CURRENCY)
      ? [DEFAULT_CURRENCY]
      : adapter.currencies;
  const wrong = given.findIndex((currency) => !acceptsCurrency(adapter, currency));
  if (wrong >= 0) throw invalidField(["currencies", wrong], `${adapter.name} does not take ${given[wrong]}.`);
  return [...new Set(given)];
}

const seal = ({ secrets, organisation }: Ctx, credentials: Credentials): string =>
  secrets.seal(JSON.stringify(credentials), {
    organisation: organisation.id,
    column: CREDENTIALS_COLUMN,
  });
