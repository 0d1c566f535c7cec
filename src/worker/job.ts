import type { Ctx } from "../flows/context.ts";
import type { MailTable } from "../flows/mail/mail.ts";
import type { Services } from "../flows/services.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";
import type { DueWork, Work } from "../platform/due-work.ts";
import type { Mailer } from "../platform/mailer.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Outbound } from "../platform/outbound.ts";

/** What handlers of background work may use besides the services. */
export interface WorkerParts {
  readonly services: Services;
  readonly outbound: Outbound;
  readonly mailer: Mailer;
  readonly metrics: Pick<Metrics, "observeDelivery" | "observeMail" | "observePayment">;
  /** Every kind of due work. */
  readonly work: readonly HandledWork[];
  /** Reactions by the name of the event, for every event that this version knows. */
  readonly reactions: ReadonlyMap<string, readonly Reaction[]>;
  readonly mails: MailTable;
  /** The product's version, for `User-Agent`. */
  readonly version: string;
}

/** Runs after events, in a later transaction. Receives events of one organisation, in order. */
export type Reaction = (tx: Tx, ctx: Ctx, events: readonly StoredEvent[]) => Promise<void>;

/** Leased work, as handlers receive it. */
export interface Job {
  readonly work: Work;
  /** The organisation and its clock at the time of the lease. */
  readonly ctx: Ctx;
  /** Aborted when the process is ending: work that has not begun should be released. */
  readonly stopping: AbortSignal;
}

/** `silent`: the receiver did not answer in time, so less work of its lane is started at once. */
export type Outcome = "done" | "silent";

/**
 * Does one piece of work and ends it in the transaction of its effect: completes, re-enqueues or releases it. It may
 * run again after a crash at any point. An error that it throws is recorded, and the work is retried later.
 */
export type Handler = (job: Job) => Promise<Outcome>;

/** A kind of due work with its handler, as the catalogue lists it. */
export interface HandledWork {
  readonly work: DueWork;
  handler(parts: WorkerParts): Handler;
}

/** The handlers by the name of their kind of work. */
export type Handlers = ReadonlyMap<string, { readonly work: DueWork; readonly handle: Handler }>;

/** The handlers of one process, or of one move of a clock. */
export const createHandlers = (parts: WorkerParts): Handlers =>
  new Map(parts.work.map(({ work, handler }) => [work.kind, { work, handle: handler(parts) }]));
