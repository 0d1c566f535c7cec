import { toRand } from "../kernel/money.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { Capability, GatewayAdapter } from "./contract.ts";
import { manualEft } from "./manual-eft/adapter.ts";
import { netcash } from "./netcash/adapter.ts";
import { ozow } from "./ozow/adapter.ts";
import { payfast } from "./payfast/adapter.ts";
import { paystack } from "./paystack/adapter.ts";
import { peach } from "./peach/adapter.ts";
import { sandbox, sandboxCancelOnly } from "./sandbox/adapter.ts";
import { stitch } from "./stitch/adapter.ts";
import { stripe } from "./stripe/adapter.ts";
import { yoco } from "./yoco/adapter.ts";

/** All gateways. A new one is a folder and a line here. */
export const ADAPTERS: readonly GatewayAdapter[] = [
  manualEft,
  sandbox,
  sandboxCancelOnly,
  payfast,
  paystack,
  ozow,
  yoco,
  netcash,
  peach,
  stitch,
  stripe,
];

const BY_TYPE = new Map(ADAPTERS.map((adapter) => [adapter.type, adapter]));

/** Undefined for a type that does not exist. */
export const findAdapter = (type: string): GatewayAdapter | undefined => BY_TYPE.get(type);

/** Types of the gateways whose payments go directly to the merchant's bank account. */
export const MANUAL_TRANSFER_TYPES: readonly string[] = ADAPTERS.flatMap(({ type, manualBankTransfer }) =>
  manualBankTransfer === undefined ? [] : type,
);

/** One entry of `GET /gateway-types` (interface 14.2). */
export interface GatewayType {
  readonly type: string;
  readonly name: string;
  readonly credentialFields: readonly {
    readonly name: string;
    readonly label: string;
    readonly secret: boolean;
    readonly required: boolean;
    readonly where: string | null;
    readonly pattern: string | null;
    readonly hint: string | null;
    readonly choices: readonly string[] | null;
  }[];
  readonly capabilities: readonly Capability[];
  /** Null: any. */
  readonly currencies: readonly string[] | null;
  readonly needsPayerEmail: boolean;
  /** Major units by currency (interface 2.1). */
  readonly minimumAmounts: Readonly<Record<string, number>>;
  readonly sandboxOnly: boolean;
  readonly fees: { readonly about: string; readonly reported: boolean } | null;
  readonly limits: readonly string[];
  /** How the gateway learns where to send notifications; null for one that sends none. */
  readonly notifyUrl: "sent with each payment" | "registered when saved" | "pasted by staff" | null;
  readonly canBeTested: boolean;
}

const NOTIFY_URL = {
  "per payment": "sent with each payment",
  "by connect": "registered when saved",
  "by hand": "pasted by staff",
} as const;

/** The call that asks whether the gateway accepts the credentials and changes nothing there; null where there is none. */
export function harmlessCheck({ check, connect, notifications }: GatewayAdapter): GatewayAdapter["connect"] | null {
  if (check) return (_request, call) => check(call);
  return connect && notifications?.urlIsSet !== "by connect" ? connect : null;
}

/** What `GET /gateway-types` says of one gateway (interface 14.2); holds no credential. */
export const describeType = (adapter: GatewayAdapter): GatewayType => ({
  type: adapter.type,
  name: adapter.name,
  credentialFields: adapter.credentialFields.map(
    ({ name, label, secret, required, where, pattern, hint, choices }) => ({
      name,
      label,
      secret,
      required,
      where: where ?? null,
      pattern: pattern ?? null,
      hint: hint ?? null,
      choices: choices ?? null,
    }),
  ),
  capabilities: capabilitiesOf(adapter),
  currencies: adapter.currencies === "any" ? null : adapter.currencies,
  needsPayerEmail: adapter.checkout?.needsPayerEmail ?? false,
  minimumAmounts: Object.fromEntries(
    Object.entries(adapter.checkout?.minimumAmounts ?? {}).map(([currency, amount]) => [currency, toRand(amount)]),
  ),
  sandboxOnly: adapter.simulated,
  fees: adapter.facts ? { about: adapter.facts.fees, reported: adapter.facts.feesReported } : null,
  limits: adapter.facts?.limits ?? [],
  notifyUrl: adapter.notifications ? NOTIFY_URL[adapter.notifications.urlIsSet] : null,
  canBeTested: harmlessCheck(adapter) !== null,
});

/** Whether accounts of this gateway may list the currency. */
export const acceptsCurrency = (adapter: GatewayAdapter, currency: string): boolean =>
  adapter.currencies === "any" || adapter.currencies.includes(currency);

/** `GatewayCall.sources`: `GATEWAY_SOURCES_<TYPE>`, a list with commas, when it is set (interface 11.1). */
export function sourcesFor(
  type: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  const sources = (environment[`GATEWAY_SOURCES_${type.toUpperCase()}`] ?? "").split(",").map((one) => one.trim());
  const named = sources.filter((one) => one !== "");
  return named.length === 0 ? null : named;
}

/**
 * `GatewayCall.baseUrl` for an adapter: `GATEWAY_URL_<TYPE>` when set (interface 11.1), else the server's own listener
 * for a simulated gateway, else null.
 */
export function baseUrlFor(
  adapter: Pick<GatewayAdapter, "type" | "simulated">,
  environment: Readonly<Record<string, string | undefined>>,
  ownListener: string,
): string | null {
  const set = environment[`GATEWAY_URL_${adapter.type.toUpperCase()}`];
  const url = set || (adapter.simulated ? ownListener : null);
  return url === null ? null : url.replace(/\/+$/, "");
}
