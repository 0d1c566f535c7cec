import type { Issue } from "../kernel/errors.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import type { CredentialField, Credentials, GatewayAdapter, GatewayCall } from "./contract.ts";

/** Longer than any key of a gateway. */
const CREDENTIAL_CHARACTERS_MAX = 500;

export type CheckedCredentials =
  | { readonly kind: "fits"; readonly credentials: Credentials }
  | { readonly kind: "wrong"; readonly issues: readonly Issue[] };

/**
 * Checks the credentials that staff entered for a gateway account, trimmed; issues are about `credentials.<name>` and
 * never quote a value. On a change, `kept` holds the account's present credentials: a field that is not given stays,
 * null or empty removes it.
 */
export function checkCredentials(
  fields: readonly CredentialField[],
  given: Readonly<Record<string, unknown>>,
  kept: Credentials = {},
): CheckedCredentials {
  const known = fields.map(({ name }) => name);
  const issues = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => issue(name, `Not a credential of this gateway. It takes: ${known.join(", ")}.`));
  const credentials: Record<string, string> = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : kept[field.name];
    if (value !== undefined && value !== null && typeof value !== "string") {
      issues.push(issue(field.name, `${field.label} must be text.`));
      continue;
    }
    const text = value?.trim() || field.fallback?.() || "";
    const fault = faultOf(field, text);
    if (fault) issues.push(issue(field.name, fault));
    else if (text) credentials[field.name] = text;
  }
  return issues.length > 0 ? { kind: "wrong", issues } : { kind: "fits", credentials };
}

/** What an account has of a field: one that was saved before the field existed has its fallback. */
export const credentialOf = ({ name, fallback }: CredentialField, credentials: Credentials): string | undefined =>
  credentials[name] || fallback?.();

/** `GatewayAdapter.keysAreFor` of gateways whose secret keys are `sk_live_…` and `sk_test_…`. */
export function secretKeyIsFor({ secretKey = "" }: Credentials): GatewayCall["mode"] | null {
  const [, word] = /^[a-z]+_(live|test)_/.exec(secretKey) ?? [];
  return word === "live" ? "live" : word === "test" ? "sandbox" : null;
}

/**
 * Whether a report is about a test payment, which moves no money for a live account. With a test key, which only a
 * stand-in lets a live account have, every payment counts.
 */
export const isTestOfLive = (
  { mode, credentials }: Pick<GatewayCall, "mode" | "credentials">,
  isTest: boolean,
): boolean => mode === "live" && isTest && secretKeyIsFor(credentials) !== "sandbox";

/**
 * Why the keys do not fit the account's mode, null when they do: a live account collects no money with test keys, and a
 * sandbox account would collect real money with live keys. With a base URL that replaces the gateway's hosts any key
 * fits, since the gateway is not called.
 */
export function keyFault(
  { name, keysAreFor }: Pick<GatewayAdapter, "name" | "keysAreFor">,
  { credentials, mode, baseUrl }: Pick<GatewayCall, "credentials" | "mode" | "baseUrl">,
): string | null {
  const meant = keysAreFor?.(credentials) ?? mode;
  if (meant === mode || baseUrl !== null) return null;
  return mode === "live"
    ? `This is a test key of ${name}. An account of mode live needs a live key; add one of mode sandbox for test keys.`
    : `This is a live key of ${name}, which takes real money. An account of mode sandbox needs a test key.`;
}

function faultOf(field: CredentialField, text: string): string | null {
  if (text === "") return field.required ? `${field.label} is required.` : null;
  if (codePoints(text) > CREDENTIAL_CHARACTERS_MAX)
    return `${field.label} must be at most ${CREDENTIAL_CHARACTERS_MAX} characters.`;
  if (!isStorable(text)) return `${field.label} holds characters that cannot be stored.`;
  if (field.choices && !field.choices.includes(text))
    return `${field.label} must be one of: ${field.choices.join(", ")}.`;
  if (field.pattern && !new RegExp(`^(?:${field.pattern})$`, "u").test(text))
    return `${field.label} does not look right${field.hint ? `: ${field.hint}` : "."}`;
  return null;
}

const issue = (name: string, message: string): Issue => ({ code: "custom", path: ["credentials", name], message });
