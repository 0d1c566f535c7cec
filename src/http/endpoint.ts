import type { Readable } from "node:stream";
import type { z } from "zod";
import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { ApiError } from "../kernel/errors.ts";
import type { MemberId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import type { Feature } from "../kernel/plans.ts";
import type { Instant } from "../kernel/time.ts";
import type { KeyPermission, Permission } from "../modules/members/rules.ts";
import type { Role } from "../modules/members/types.ts";
import type { Tx } from "../platform/database.ts";

/** The reply of a handler: `body` is the object as the API shows it, `audit` is what the audit log records (docs/architecture.md, Data). */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /**
   * The body as JSON in UTF-8, which replaces `body` when it is too long to be in memory; only for endpoints that open their own transactions,
   * whose answers are not stored: it is read while it is sent.
   */
  readonly pieces?: AsyncIterable<Buffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly audit?: { readonly subject?: string; readonly before?: unknown; readonly after?: unknown };
  /**
   * The state that an edit's `opened` is compared with, when it is a part of `audit`: the part before the change, and the name of its field in
   * the audit log.
   */
  readonly part?: { readonly before: unknown; readonly field: string };
}

/** A file, sent as an attachment. */
export interface Download {
  readonly content: Buffer | Readable;
  readonly contentType: string;
  readonly fileName: string;
}

/** The file that an endpoint accepts as `multipart/form-data`. */
export interface UploadRule<Form extends z.ZodType = z.ZodType> {
  /** Name of the form field. */
  readonly field: string;
  readonly maxBytes: number;
  /** Text fields that the form may have beside the file. */
  readonly form?: Form;
}

/** An uploaded file. The name and the bytes are the sender's and were not checked. */
export interface UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** An uploaded file with the text fields of its form. */
export interface UploadedForm<Form> extends UploadedFile {
  readonly form: Form;
}

/** The basis of an edit: the record as its form read it, and the fields that are sent. */
export interface Opened {
  readonly record: Readonly<Record<string, unknown>>;
  readonly sent: Readonly<Record<string, unknown>>;
}

export interface Call<Params, Query, Body> {
  readonly ctx: Ctx;
  /** The member of staff; null in the client API. */
  readonly member: { readonly id: MemberId; readonly role: Role } | null;
  /** When the request arrived, by the machine's clock. */
  readonly receivedAt: Instant;
  readonly services: Services;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The basis of a member's edit, when they have sent it. */
  readonly opened?: Opened;
}

/**
 * The three steps of an endpoint that calls a gateway (decisions.md#record-ask-settle). When a process ends between two steps, the intent
 * that `record` stored remains: due work finishes it, and a request that repeats the Idempotency-Key continues with `ask`; `record` does
 * not run again.
 */
export interface GatewaySteps<C, Asked, Known = never> {
  /** Runs in one transaction with the claim of the Idempotency-Key and the audit entry: stores the intent. */
  record(call: C, tx: Tx): Promise<Recorded<Known>>;
  /**
   * Runs without a transaction: calls the gateway. With `again` the gateway may have the request already, so it is queried by the intent's
   * reference first. `known` is the value that `record` returned, null with `again`.
   */
  ask(call: C, intent: string, again: boolean, known: Known | null): Promise<Asked>;
  /**
   * Runs in one transaction with the stored reply: applies the gateway's answer, or replies with the intent's status when there is none. A
   * refusal is returned, not thrown, so that its effect is committed. It may run several times for one intent.
   */
  settle(call: C, tx: Tx, intent: string, asked: Asked): Promise<Reply | ApiError>;
}

/**
 * The result of `record`: the id of the intent with the entry of the audit log, or the reply when no gateway has to be asked. `known` saves `ask`
 * from reading again what was just written.
 */
export type Recorded<Known = never> =
  | { readonly intent: string; readonly audit: NonNullable<Reply["audit"]>; readonly known?: Known }
  | Reply;

/** Who may call an endpoint: clients by API key and staff by session, or staff alone. */
export type Audience = "clients" | "staff";

/** A group of endpoints in the description of an API. */
export interface Tag {
  readonly name: string;
  /** A sentence about the group. */
  readonly about: string;
}

interface Declaration<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below `/api/v1` or `/dashboard/api`; parameters as `{id}`. */
  readonly path: string;
  /** The path that replaces it in the client API: for an address that clients have from another service. */
  readonly base?: string;
  /** Has no default, so that nothing is opened to API keys by an omission (decisions.md#audience-has-no-default). */
  readonly audience: Audience;
  readonly summary: string;
  readonly tag: Tag;
  /** The plan feature that it needs in addition to API access (interface 5.5). */
  readonly feature?: Feature;
  /** The permission that a member of staff needs (interface 14.1). */
  readonly permission: Permission;
  /** The permission that an API key needs (interface 5.6). */
  readonly keyPermission?: KeyPermission;
  /** Accepts an Idempotency-Key (interface 4.1). */
  readonly idempotent?: boolean;
  /**
   * Changes fields of a record that people edit: in the dashboard's API the body may hold `opened`, the record as the form read it, and a field
   * that was changed since is refused with 409 `record_changed`. The audit entry of the handler has the record as `before`, locked and as its GET
   * shows it, or the reply has its `part`. An endpoint with transactions of its own calls `requireAsOpened`.
   */
  readonly edits?: boolean;
  /** Has limits of its own, beyond which it answers 429, to members of staff too (interface 8.2). */
  readonly limited?: boolean;
  /**
   * Locks the row of the organisation that all requests to this endpoint need, such as the one that numbers its documents. Requests that
   * arrive while it is locked share one transaction (`Database.gathered`). The row is locked before the Idempotency-Key is claimed: two
   * processes that each hold a key and wait for the row or the other key would deadlock. The handler must not wait long for another lock,
   * because all requests of the transaction would wait with it.
   */
  gathers?(tx: Tx): void;
  /** Whether a request with this body has its own transaction, because it takes more locks than a gathered work may. */
  alone?(body: z.output<Body>): boolean;
  /**
   * Answers a body with `dryRun: true` instead of the handler. It only reads: it writes no record and no audit entry, and neither claims nor
   * reads an Idempotency-Key.
   */
  preview?(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>, tx: Tx): Promise<Reply>;
  /**
   * The amount that the request moves, in cents of any currency, or null when it cannot be known. Above the organisation's limit, a member of
   * staff must have signed in within five minutes, else 403 `reauthentication_required` (decisions.md#reauthentication-before-the-key). It
   * only reads, and runs before the Idempotency-Key is claimed, so that the refusal is not stored under the key.
   */
  moves?(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>, tx: Tx): Promise<Cents | null>;
  /**
   * Changes nothing although its method is not GET: the handler runs like that of a GET, and no audit entry is written. Not with `idempotent`.
   */
  readonly onlyReads?: boolean;
  /** Read-only accounts may not use it; default: true for all endpoints except reads. */
  readonly writes?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly replies: Readonly<Record<number, z.ZodType>>;
  /** The replies for staff, which replace `replies`: of an endpoint of both APIs whose handler shows more to staff than to clients. */
  readonly staffReplies?: Readonly<Record<number, z.ZodType>>;
}

/** A declared endpoint. Guards, validation, idempotency, audit and documentation follow from the declaration. */
export interface Endpoint extends Declaration<z.ZodType, z.ZodType, z.ZodType> {
  /** Runs in one transaction with the claim of the Idempotency-Key and the stored reply. */
  handle?(call: Call<unknown, unknown, unknown>, tx: Tx, prepared: unknown): Promise<Reply>;
  /** Runs before that transaction, for slow work such as decoding a picture; `handle` gets its result. */
  prepare?(call: Call<unknown, unknown, unknown>): Promise<unknown>;
  /** Instead of `handle`, when a gateway is asked for something that must happen once. */
  readonly steps?: GatewaySteps<Call<unknown, unknown, unknown>, unknown, unknown>;
  /** Instead of `handle`, for the few endpoints that open their own transactions and write their own audit entry. They accept no Idempotency-Key. */
  run?(call: Call<unknown, unknown, unknown>): Promise<Reply>;
  /** Instead of `handle`, when the answer is a file; opens its own transactions. `replies` is empty then. */
  download?(call: Call<unknown, unknown, unknown>): Promise<Download>;
  /** Media type of that file. */
  readonly media?: string;
  /** When the endpoint accepts a file instead of JSON: the file is the call's body. */
  readonly upload?: UploadRule;
}

/** Whether the handler runs as a read, without an audit entry. */
export const isRead = ({ method, onlyReads = false }: Endpoint): boolean => method === "GET" || onlyReads;

/** Whether read-only accounts are refused. */
export const isForWritable = (endpoint: Endpoint): boolean => endpoint.writes ?? !isRead(endpoint);

type CallOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Call<
  z.output<P>,
  z.output<Q>,
  z.output<B>
>;

/** Declares an endpoint whose work is one transaction. This is the usual kind. */
export const endpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared = unknown>(
  declaration: Declaration<P, Q, B> & {
    prepare?(call: CallOf<P, Q, B>): Promise<Prepared>;
    handle(call: CallOf<P, Q, B>, tx: Tx, prepared: Prepared): Promise<Reply>;
  },
): Endpoint => declaration;

/** Declares an endpoint that asks a gateway for something that must happen once: a refund, a charge, a mandate. */
export const gatewayEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Asked, Known = never>(
  declaration: Declaration<P, Q, B> & { readonly steps: GatewaySteps<CallOf<P, Q, B>, Asked, Known> },
): Endpoint => declaration as Endpoint;

/** Declares an endpoint that opens its own transactions. A repeated request does its work again. */
export const ownTransactionsEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, B>, "idempotent"> & { run(call: CallOf<P, Q, B>): Promise<Reply> },
): Endpoint => declaration;

/** Declares an endpoint that accepts one file and does its work in one transaction. */
export const uploadEndpoint = <P extends z.ZodType, Q extends z.ZodType, Prepared>(
  declaration: Omit<Declaration<P, Q, z.ZodNever>, "body" | "method" | "idempotent"> & {
    readonly upload: UploadRule;
    prepare(call: Call<z.output<P>, z.output<Q>, UploadedFile>): Promise<Prepared>;
    handle(call: Call<z.output<P>, z.output<Q>, UploadedFile>, tx: Tx, prepared: Prepared): Promise<Reply>;
  },
): Endpoint => ({ ...declaration, method: "POST" });

/** Declares an endpoint that accepts one file and opens its own transactions. A repeated request does its work again. */
export const ownTransactionsUploadEndpoint = <P extends z.ZodType, Q extends z.ZodType, F extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, z.ZodNever>, "body" | "method" | "idempotent"> & {
    readonly upload: UploadRule<F>;
    run(call: Call<z.output<P>, z.output<Q>, UploadedForm<z.output<F>>>): Promise<Reply>;
  },
): Endpoint => ({ ...declaration, method: "POST" });

/** Declares an endpoint that answers with a file of one media type. */
export const downloadEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, B>, "replies" | "method"> & {
    readonly method?: "POST";
    readonly media: string;
    download(call: CallOf<P, Q, B>): Promise<Download>;
  },
): Endpoint => ({ method: "GET", ...declaration, replies: {} });
