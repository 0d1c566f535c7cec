import type { Ctx } from "../flows/context.ts";
import type { MailTable } from "../flows/mail/mail.ts";
import type { Services } from "../flows/services.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";
import type { DueWork, Work } from "../platform/due-work.ts";
import type { Mailer } from "../platform/mailer.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Outbound } from "../platform/outbound.ts";

/** What background work reaches beside the services of every use case. */
export interface WorkerParts {
  readonly services: Services;
  readonly outbound: Outbound;
  readonly mailer: Mailer;
  readonly metrics: Pick<Metrics, "observeDelivery">;
  /** Every kind of due work. */
  readonly work: readonly HandledWork[];
  /** What follows from each event that this version knows, beside its deliveries. By name. */
  readonly reactions: ReadonlyMap<string, readonly Reaction[]>;
  readonly mails: MailTable;
  /** The product's, for `User-Agent`. */
  readonly version: string;
}

/** What follows from events, in a transaction after theirs. Gets those of one organisation that came together, in order. */
export type Reaction = (tx: Tx, ctx: Ctx, events: readonly StoredEvent[]) => Promise<void>;

/** Leased work on its way through a handler. */
export interface Job {
  readonly work: Work;
  /** The organisation and its clock as the work was leased. */
  readonly ctx: Ctx;
  /** The process is ending: what has not left it yet is better given back. */
  readonly stopping: AbortSignal;
}

/** `silent`: the other side let the whole time pass without an answer, so fewer of its lane are begun at once. */
export type Outcome = "done" | "silent";

/**
 * Does one piece of work and ends it, in the transaction of its effect: completed, asked for anew at a later time, or given back. May run
 * again after a crash at any point. What it throws is recorded, and the work is begun again later.
 */
export type Handler = (job: Job) => Promise<Outcome>;

/** A kind of due work with what does it, as the catalogue lists it. */
export interface HandledWork {
  readonly work: DueWork;
  handler(parts: WorkerParts): Handler;
}

/** By the name of their kind. */
export type Handlers = ReadonlyMap<string, { readonly work: DueWork; readonly handle: Handler }>;

/** The handlers of one process, or of one move of a clock. */
export const createHandlers = (parts: WorkerParts): Handlers =>
  new Map(parts.work.map(({ work, handler }) => [work.kind, { work, handle: handler(parts) }]));
