import type { ApiKeyId, Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type RequestId = Id<"req">;

/** How a request's Idempotency-Key was used: `first` was performed, `replayed` got the first one's answer. */
export const IDEMPOTENCY_USES = ["first", "replayed", "conflict"] as const;
type IdempotencyUse = (typeof IDEMPOTENCY_USES)[number];

/** A request that was made with an API key. The values of its parameters are not stored, of bodies only what is of no person. */
export interface LoggedRequest {
  /** The header `x-request-id` of its answer. */
  readonly id: RequestId;
  /** The time of arrival, by the machine's clock. */
  readonly at: Instant;
  readonly method: string;
  /** As it was sent, without the query; at most `PATH_MAX` characters. */
  readonly path: string;
  /** Names of the query's parameters, with & between them. */
  readonly parameters: string;
  readonly status: number;
  /** The code of a refusal (interface 7.2). */
  readonly error: string | null;
  readonly durationMs: number;
  readonly keyId: ApiKeyId;
  readonly keyPrefix: string;
  /** Null without a key, and where the endpoint accepts none. */
  readonly idempotency: IdempotencyUse | null;
}

/** A request with its bodies, masked (`rules/masking.ts`). */
export interface RequestWithBodies extends LoggedRequest {
  /** Null without one, and for a file. */
  readonly requestBody: string | null;
  /** Of a refusal; null for any other answer. */
  readonly responseBody: string | null;
}
