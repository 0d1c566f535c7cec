import type { Readable } from "node:stream";
import type { z } from "zod";
import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { ApiError } from "../kernel/errors.ts";
import type { MemberId } from "../kernel/ids.ts";
import type { Feature } from "../kernel/plans.ts";
import type { KeyPermission, Permission } from "../modules/members/rules.ts";
import type { Role } from "../modules/members/types.ts";
import type { Tx } from "../platform/database.ts";

/** The answer of a handler; `body` is already the interface's object. `audit` says what changed (docs/architecture.md, Data). */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly audit?: { readonly subject?: string; readonly before?: unknown; readonly after?: unknown };
}

/** A file to keep: an attachment, never shown inside a page. */
export interface Download {
  readonly content: Buffer | Readable;
  readonly contentType: string;
  readonly fileName: string;
}

/** Which file an endpoint takes, as `multipart/form-data`. */
export interface UploadRule {
  /** The field that holds it. */
  readonly field: string;
  readonly maxBytes: number;
}

/** A file as it was sent: the name is the sender's, and nothing is known of the bytes. */
export interface UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Call<Params, Query, Body> {
  readonly ctx: Ctx;
  /** Null behind the client API's door. */
  readonly member: { readonly id: MemberId; readonly role: Role } | null;
  readonly services: Services;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/**
 * Work that a gateway has a part in (decision 106). A process that ends between two steps leaves the intent that `record` kept: due work
 * finishes it, and a request that repeats the Idempotency-Key meets it in `ask`, never in a second `record`.
 */
export interface GatewaySteps<C, Asked> {
  /** One transaction, with the claim of the Idempotency-Key and the audit entry: keeps what is to be asked for. */
  record(call: C, tx: Tx): Promise<Recorded>;
  /** No transaction. `again`: the gateway may have been asked already, so it is asked by the intent's reference first. */
  ask(call: C, intent: string, again: boolean): Promise<Asked>;
  /**
   * One transaction, with the stored reply: what follows from the answer, or where the intent stands without one. A refusal is
   * answered, not thrown: the effect stays. It may be called again for the same intent.
   */
  settle(call: C, tx: Tx, intent: string, asked: Asked): Promise<Reply | ApiError>;
}

/** What is to be asked for, by the id of its record, with what the audit log keeps; or the reply, when no gateway is needed. */
export type Recorded = { readonly intent: string; readonly audit: NonNullable<Reply["audit"]> } | Reply;

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
  /** Has no default, so that nothing is opened to API keys by an omission (decision 132). */
  readonly audience: Audience;
  readonly summary: string;
  readonly tag: Tag;
  /** The plan feature it needs beside API access (interface 5.5). */
  readonly feature?: Feature;
  /** What a member of staff needs (interface 14.1). */
  readonly permission: Permission;
  /** What an API key needs (interface 5.6). */
  readonly keyPermission?: KeyPermission;
  /** Takes an Idempotency-Key (interface 4.1). */
  readonly idempotent?: boolean;
  /**
   * Its work waits for one row of the organisation, such as the one that numbers its documents: what comes meanwhile goes together in one
   * transaction (`Database.gathered`). Locks that row, before the Idempotency-Key: two processes that each hold a key, and wait for the row
   * and the other's key, would wait in a ring. Work that may wait for a lock that others hold for long would hold up all of them.
   */
  gathers?(tx: Tx): void;
  /**
   * Answers a body with `dryRun: true` in place of the handler, by reads alone: no record, no audit entry, and no Idempotency-Key is
   * claimed or looked up.
   */
  preview?(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>, tx: Tx): Promise<Reply>;
  /** Read-only accounts may not use it; default: every method but GET. */
  readonly writes?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly replies: Readonly<Record<number, z.ZodType>>;
}

/** A declared endpoint: guards, body rules, idempotency, audit and documentation follow from the declaration alone. */
export interface Endpoint extends Declaration<z.ZodType, z.ZodType, z.ZodType> {
  /** Runs in one transaction that the door opens, with the claim of the Idempotency-Key and the stored reply. */
  handle?(call: Call<unknown, unknown, unknown>, tx: Tx, prepared: unknown): Promise<Reply>;
  /** Before that transaction, for what takes long, such as decoding a picture; `handle` gets what it answers. */
  prepare?(call: Call<unknown, unknown, unknown>): Promise<unknown>;
  /** For those that ask a gateway for something that must happen once. */
  readonly steps?: GatewaySteps<Call<unknown, unknown, unknown>, unknown>;
  /** For the few that open transactions of their own, and write their own audit entry. They take no Idempotency-Key. */
  run?(call: Call<unknown, unknown, unknown>): Promise<Reply>;
  /** For those that answer a file; opens its own reads. `replies` is empty then. */
  download?(call: Call<unknown, unknown, unknown>): Promise<Download>;
  /** Media type of that file. */
  readonly media?: string;
  /** For those that take a file in place of JSON: it is the call's body. */
  readonly upload?: UploadRule;
}

type CallOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Call<
  z.output<P>,
  z.output<Q>,
  z.output<B>
>;

/** An endpoint whose work is one transaction (the rule). */
export const endpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared = unknown>(
  declaration: Declaration<P, Q, B> & {
    prepare?(call: CallOf<P, Q, B>): Promise<Prepared>;
    handle(call: CallOf<P, Q, B>, tx: Tx, prepared: Prepared): Promise<Reply>;
  },
): Endpoint => declaration;

/** An endpoint that asks a gateway for something that must happen once: a refund, a charge, a mandate. */
export const gatewayEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Asked>(
  declaration: Declaration<P, Q, B> & { readonly steps: GatewaySteps<CallOf<P, Q, B>, Asked> },
): Endpoint => declaration as Endpoint;

/** An endpoint that opens transactions of its own. What it does may be done twice when it is repeated. */
export const ownTransactionsEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, B>, "idempotent"> & { run(call: CallOf<P, Q, B>): Promise<Reply> },
): Endpoint => declaration;

/** An endpoint that takes one file, and does its work in one transaction. */
export const uploadEndpoint = <P extends z.ZodType, Q extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, z.ZodNever>, "body" | "method" | "idempotent"> & {
    readonly upload: UploadRule;
    handle(call: Call<z.output<P>, z.output<Q>, UploadedFile>, tx: Tx): Promise<Reply>;
  },
): Endpoint => ({ ...declaration, method: "POST" });

/** An endpoint that answers a file of one media type. */
export const downloadEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Omit<Declaration<P, Q, B>, "replies" | "method"> & {
    readonly media: string;
    download(call: CallOf<P, Q, B>): Promise<Download>;
  },
): Endpoint => ({ ...declaration, method: "GET", replies: {} });
