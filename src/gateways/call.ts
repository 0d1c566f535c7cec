import type { Instant } from "../kernel/time.ts";
import type { GatewayHttp } from "./http.ts";

export type Credentials = Readonly<Record<string, string>>;

/** One credential of an account: asked for in the dashboard, listed by `GET /gateway-types`, checked by `checkCredentials`. */
export interface CredentialField {
  readonly name: string;
  readonly label: string;
  /** Never shown while typed. No credential is ever returned, secret or not. */
  readonly secret: boolean;
  /** False also where a `fallback` fills it in. */
  readonly required: boolean;
  /** Where the gateway's own dashboard shows it. */
  readonly where?: string;
  /** The whole value must match; `hint` describes the pattern. */
  readonly pattern?: string;
  readonly hint?: string;
  readonly choices?: readonly string[];
  /** The value when none is given. */
  readonly fallback?: () => string;
  /** Another value is another merchant's account at the gateway, or another part of it that has its own payments. */
  readonly namesMerchant?: true;
  /** Capabilities that only an account with this field has; with `when`, only while the field has that value. */
  readonly enables?: { readonly capabilities: readonly Capability[]; readonly when?: string };
}

export type Capability =
  | "onceOff"
  | "recurring"
  | "pause"
  | "resume"
  | "cancel"
  | "changeAmount"
  | "changeDate"
  | "saveCard"
  | "chargeStoredCard"
  | "refund"
  | "debitOrders"
  | "eMandate"
  | "bankAccountCheck"
  | "manualBankTransfer";

/** Everything that an adapter gets besides its request. */
export interface GatewayCall {
  readonly credentials: Credentials;
  /** The identifier of the account in its `notifyUrl` (`?account=`); the sandbox gateway finds its merchant by it. */
  readonly accountId: string;
  readonly mode: "live" | "sandbox";
  /** Replaces all the gateway's hosts (interface 11.1, `GATEWAY_URL_<TYPE>`); no trailing slash; null: the gateway's own hosts. */
  readonly baseUrl: string | null;
  /**
   * Addresses that notifications come from, as the operator has set them (interface 11.1, `GATEWAY_SOURCES_<TYPE>`,
   * checked by `isFrom`); null: the ones that the gateway publishes.
   */
  readonly sources: readonly string[] | null;
  readonly http: GatewayHttp;
  /** The organisation's clock. */
  readonly now: Instant;
  /** The machine's clock: for signatures and their tolerance only (interface 13.1). */
  readonly machineNow: Instant;
}

export interface Payer {
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly phone: string | null;
}

/** A clear refusal, with a reason that staff may see. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
}
