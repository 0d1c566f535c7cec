import type { Credentials } from "../../gateways/contract.ts";
import { checkCredentials } from "../../gateways/credentials.ts";
import type { MessagingAdapter, MessagingCall } from "../../gateways/messaging/contract.ts";
import { findProvider, MESSAGING_ADAPTERS } from "../../gateways/messaging/registry.ts";
import { assert } from "../../kernel/assert.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { Channel } from "../../kernel/messages.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { REPORTS_PAGE } from "../../modules/messages/declarations.ts";
import type { MessageAccountPutBody } from "../../modules/messages/schema.ts";
import {
  deleteMessageAccount,
  listMessageAccounts,
  lockMessageAccount,
  MESSAGE_CREDENTIALS_COLUMN,
  saveMessageAccount,
} from "../../modules/messages/store.ts";
import type { MessageAccount } from "../../modules/messages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { Services } from "../services.ts";

const binding = ({ organisation }: Pick<Ctx, "organisation">) => ({
  organisation: organisation.id,
  column: MESSAGE_CREDENTIALS_COLUMN,
});

/** The decrypted credentials of an account. Secret. */
export const messageCredentialsOf = (
  ctx: Pick<Ctx, "organisation" | "secrets">,
  account: MessageAccount,
): Credentials => JSON.parse(ctx.secrets.open(account.credentialsSealed, binding(ctx))) as Credentials;

/** The adapter of an account. Throws an AssertionError when this version has none of its provider. */
export function providerOf({ channel, provider }: Pick<MessageAccount, "channel" | "provider">): MessagingAdapter {
  const adapter = findProvider(channel, provider);
  assert(adapter, `messages go by ${provider}, which this version has`);
  return adapter;
}

/** The context of one call of an adapter. */
export const messagingCallOf = (services: Services, ctx: Ctx, account: MessageAccount): MessagingCall => ({
  credentials: messageCredentialsOf(ctx, account),
  baseUrl: services.gatewayUrl({ type: account.provider, simulated: false }),
  http: services.gatewayHttp,
});

/** An account without its credentials (interface 14.2). */
export const messageAccountView = (ctx: Ctx, account: MessageAccount) => ({
  channel: account.channel,
  provider: account.provider,
  enabled: account.enabled,
  credentialsSet: Object.keys(messageCredentialsOf(ctx, account)).sort(),
  reportsUrl: hostedUrl(ctx, REPORTS_PAGE, account.id),
  verifyToken: account.channel === "whatsapp" ? account.id : null,
  createdAt: toTimestamp(account.createdAt),
  updatedAt: toTimestamp(account.updatedAt),
});

/** Providers of messages and the organisation's accounts there. */
export async function readMessaging(tx: Tx, ctx: Ctx) {
  const accounts = await listMessageAccounts(tx);
  return {
    providers: MESSAGING_ADAPTERS.map(({ type, name, channel, credentialFields, reports }) => ({
      type,
      name,
      channel,
      credentialFields: credentialFields.map((field) => ({
        name: field.name,
        label: field.label,
        secret: field.secret,
        required: field.required,
        where: field.where ?? null,
        hint: field.hint ?? null,
      })),
      reports,
    })),
    accounts: accounts.map((account) => messageAccountView(ctx, account)),
  };
}

/**
 * Connects a channel to a provider, or changes its account; another provider replaces it, with a new address for
 * reports. Locks the account. Throws 400 for an unknown provider or invalid credentials.
 */
export async function putMessageAccount(
  tx: Tx,
  ctx: Ctx,
  channel: Channel,
  { provider, enabled, credentials }: MessageAccountPutBody,
): Promise<{ readonly before: MessageAccount | null; readonly after: MessageAccount }> {
  const adapter = findProvider(channel, provider);
  if (!adapter) throw invalidField(["provider"], `No such provider of this channel: ${provider}.`);
  const before = await lockMessageAccount(tx, channel);
  const kept = before?.provider === provider ? before : null;
  const checked = checkCredentials(adapter.credentialFields, credentials, kept ? messageCredentialsOf(ctx, kept) : {});
  if (checked.kind === "wrong")
    throw invalid(`Invalid credentials: ${checked.issues[0]?.message ?? "they do not fit."}`, checked.issues);
  const after: MessageAccount = {
    id: kept?.id ?? newId("macc"),
    channel,
    provider,
    enabled,
    credentialsSealed: ctx.secrets.seal(JSON.stringify(checked.credentials), binding(ctx)),
    createdAt: kept?.createdAt ?? ctx.now,
    updatedAt: ctx.now,
  };
  saveMessageAccount(tx, after);
  return { before, after };
}

/** Removes the account of a channel. Locks it. Throws 404. */
export async function removeMessageAccount(tx: Tx, channel: Channel): Promise<MessageAccount> {
  const account = await lockMessageAccount(tx, channel);
  if (!account) throw notFound("account");
  deleteMessageAccount(tx, channel);
  return account;
}
