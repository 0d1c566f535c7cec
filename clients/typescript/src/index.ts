export { Tefo, type Webhooks } from "./client.ts";
export {
  Conflict,
  ConnectionFailed,
  InvalidRequest,
  type Issue,
  NotFound,
  PermissionRequired,
  RateLimited,
  ServiceError,
  TefoError,
  TimedOut,
  Unauthorized,
  WebhookRefused,
} from "./errors.ts";
export type * from "./generated/types.ts";
export type { List, Page } from "./lists.ts";
export { type Amount, cents, rand, sum, toCents } from "./money.ts";
export type { Answered, ClientOptions, RequestOptions } from "./options.ts";
export type { Call } from "./transport.ts";
export type { Upload } from "./uploads.ts";
export { forExpress, forFastify, forHono, forNext, forNode } from "./webhooks/adapters.ts";
export type { HandlerAnswer, HandlerOptions, Reactions, WebhookHandler } from "./webhooks/handler.ts";
export { type EventStore, memoryStore } from "./webhooks/store.ts";
export { type HeadersLike, type VerifyOptions, verify as verifyWebhook, type WebhookEvent } from "./webhooks/verify.ts";
