import type { ApiKeyId, Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type RequestId = Id<"req">;

/** What became of a request's Idempotency-Key: `first` was performed, `replayed` answered as the first one was. */
export const IDEMPOTENCY_USES = ["first", "replayed", "conflict"] as const;
type IdempotencyUse = (typeof IDEMPOTENCY_USES)[number];

/** A request that was made with an API key. Neither its body nor its answer is kept, nor what its parameters hold. */
export interface LoggedRequest {
  /** As the header `x-request-id` of its answer has it. */
  readonly id: RequestId;
  /** When it came, by the machine's clock. */
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
  /** Null without a key, and where none is taken. */
  readonly idempotency: IdempotencyUse | null;
}
