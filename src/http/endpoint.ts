import type { Readable } from "node:stream";
import type { z } from "zod";
import type { SortColumns } from "../domain/ordered-lists.ts";
import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { ApiError } from "../kernel/errors.ts";
import type { MemberId } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import type { Feature } from "../kernel/plans.ts";
import type { Instant } from "../kernel/time.ts";
import type { Scope } from "../modules/api-keys/rules.ts";
import type { HeldRole, KeyPermission, Permission } from "../modules/members/rules.ts";
import type { Tx } from "../platform/database.ts";
import type { Expandable } from "./expand/expand.ts";

/**
 * The reply of a handler: `body` is the object as the API shows it, `audit` is what the audit log records
 * (docs/architecture.md, Data).
 */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /**
   * The body as JSON in UTF-8, which replaces `body` when it is too long for memory, and is read while it is sent. Only
   * for endpoints that open their own transactions, whose replies are not stored.
   */
  readonly pieces?: AsyncIterable<Buffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly audit?: { readonly subject?: string; readonly before?: unknown; readonly after?: unknown };
  /**
   * The state that an edit's `opened` is compared with, if it is a part of `audit`: the part before the change, and the
   * name of its field in the audit log.
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
  readonly member: { readonly id: MemberId; readonly role: HeldRole } | null;
  /** When the request arrived, by the machine's clock. */
  readonly receivedAt: Instant;
  readonly services: Services;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The basis of a member's edit, if they sent it. */
  readonly opened?: Opened;
}

/**
 * The three steps of an endpoint that calls a gateway (decisions.md#record-ask-settle). When a process ends between two
 * steps, the intent that `record` stored remains: due work finishes it, and a request that repeats the Idempotency-Key
 * continues with `ask`; `record` does not run again.
 */
export interface GatewaySteps<C, Asked, Known = never> {
  /** Runs in one transaction with the claim of the Idempotency-Key and the audit entry: stores the intent. */
  record(call: C, tx: Tx): Promise<Recorded<Known>>;
  /**
   * Runs without a transaction: calls the gateway. With `again` the gateway may already have the request, so it is
   * first queried by the intent's reference. `known` is the value that `record` returned, null with `again`.
   */
  ask(call: C, intent: string, again: boolean, known: Known | null): Promise<Asked>;
  /**
   * Runs in one transaction with the stored reply: applies the gateway's answer, or replies with the intent's status
   * when there is none. A refusal is returned, not thrown, so that its effect is committed. It may run several times
   * for one intent.
   */
  settle(call: C, tx: Tx, intent: string, asked: Asked): Promise<Reply | ApiError>;
}

/**
 * The result of `record`: the id of the intent with the audit log's entry, or the reply when no gateway has to be
 * asked. `known` saves `ask` from reading again what was just written.
 */
export type Recorded<Known = never> =
  | { readonly intent: string; readonly audit: NonNullable<Reply["audit"]>; readonly known?: Known }
  | Reply;

/** Who may call an endpoint: clients by API key and staff by session, or only staff. */
export type Audience = "clients" | "staff";

/** A group of endpoints in the description of an API. */
export interface Tag {
  readonly name: string;
  /** A sentence about the group. */
  readonly about: string;
}

/** Parts of every declaration. */
interface Declared<Params extends z.ZodType, Query extends z.ZodType> {
  /** The path below `/api/v1` or `/dashboard/api`; parameters are written `{id}`. */
  readonly path: string;
  /** The path that replaces it in the client API, for an address that clients know from another service. */
  readonly base?: string;
  /** Has no default, so that nothing is opened to API keys by an omission (decisions.md#audience-has-no-default). */
  readonly audience: Audience;
  readonly summary: string;
  /** Its name in the description, verb first, where the one that its path gives does not read well. */
  readonly operationId?: string;
  readonly tag: Tag;
  /** The plan feature that it needs in addition to API access (interface 5.5). */
  readonly feature?: Feature;
  /** The permission that a member of staff needs (interface 14.1). */
  readonly permission: Permission;
  /** Further permissions that a member of staff needs, where it shows records of other kinds, too. */
  readonly also?: readonly Permission[];
  /** The permission that an API key needs (interface 5.6). */
  readonly keyPermission?: KeyPermission;
  /**
   * The scope that an API key with scopes needs (interface 5.6), or those of which it needs one, when it is not the one
   * of `permission`; null when any key may use the endpoint.
   */
  readonly scope?: Scope | readonly Scope[] | null;
  /** Whether it has limits of its own, beyond which it returns 429, even to members of staff (interface 8.2). */
  readonly limited?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  /** The columns by which staff may sort a list, whose query then takes `sort` (interface 14.3). */
  readonly sorts?: SortColumns<never>;
}

/** The declaration of the JSON that it returns. */
interface Answering {
  readonly replies: Readonly<Record<number, z.ZodType>>;
  /** What a refusal shows beside the error, by status. */
  readonly shown?: Readonly<Record<number, z.ZodObject>>;
  /**
   * The replies for staff, which replace `replies`, for an endpoint of both APIs whose handler shows more to staff than
   * to clients.
   */
  readonly staffReplies?: Readonly<Record<number, z.ZodType>>;
}

interface AskingByGet {
  readonly method: "GET";
  readonly onlyReads?: never;
  readonly body?: never;
}

interface AskingByPost<Body extends z.ZodType> {
  readonly method: "POST";
  /** Whether it changes nothing although its method is not GET. */
  readonly onlyReads: true;
  readonly body?: Body;
}

/** The ways to request something without changing it. */
type Asking<Body extends z.ZodType> = AskingByGet | AskingByPost<Body>;

/** Methods of endpoints that change something. */
type ChangingMethod = "POST" | "PATCH" | "PUT" | "DELETE";

/** Parts of the declaration of a change. */
interface Changing {
  readonly onlyReads?: never;
  /** False if read-only accounts may use it too. */
  readonly writes?: boolean;
  /** The most characters of its body, when it takes more than others (interface 8.3). */
  readonly bodyMax?: number;
}

/**
 * Parts of the declaration of a change that is made once under an Idempotency-Key, and that needs a proof of identity
 * for large amounts.
 */
interface ChangingOnce<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> extends Changing {
  readonly method: ChangingMethod;
  readonly body?: Body;
  /** Whether it accepts an Idempotency-Key (interface 4.1). */
  readonly idempotent?: boolean;
  /**
   * Returns the amount that the request moves, in cents of any currency, or null when it cannot be known. Above the
   * organisation's limit, a member of staff must have signed in within five minutes, else 403
   * `reauthentication_required` (decisions.md#reauthentication-before-the-key). It only reads, and runs before the
   * Idempotency-Key is claimed, so that the refusal is not stored under the key.
   */
  moves?(call: CallOf<Params, Query, Body>, tx: Tx): Promise<Cents | null>;
}

/** Parts of the declaration of a change that people make in a form. */
interface Editing {
  /**
   * Whether it changes fields of a record that people edit: in the dashboard's API the body may have `opened`, the
   * record as the form read it, and a field that has changed since then is refused with 409 `record_changed`. The
   * handler's audit entry has the record as `before`, locked and as its GET shows it, or the reply has its `part`. An
   * endpoint with its own transactions calls `requireAsOpened`.
   */
  readonly edits?: boolean;
}

type CallOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Call<
  z.output<P>,
  z.output<Q>,
  z.output<B>
>;

type Reading<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Declared<P, Q> &
  Answering &
  Asking<B> & {
    /** What its records, or its one record, are: their relations can be expanded (interface 4.1). */
    readonly expands?: Expandable;
    /** Runs in a transaction that only reads. No audit entry is written. */
    handle(call: CallOf<P, Q, B>, tx: Tx): Promise<Reply>;
  };

interface Writing<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared>
  extends Declared<P, Q>,
    Answering,
    ChangingOnce<P, Q, B>,
    Editing {
  /**
   * Locks the organisation's row that all requests to this endpoint need, such as the one that numbers its documents.
   * Requests that arrive while it is locked share one transaction (`Database.gathered`). The row is locked before the
   * Idempotency-Key is claimed: two processes that each hold a key and wait for the row or the other key would
   * deadlock. The handler must not wait long for another lock, because all requests of the transaction would wait with
   * it.
   */
  gathers?(tx: Tx): void;
  /** Whether a request with this body gets its own transaction, because it takes more locks than gathered work may. */
  alone?(body: z.output<B>): boolean;
  /**
   * Replies to a body with `dryRun: true` in place of the handler. It only reads: it writes no record and no audit
   * entry, and neither claims nor reads an Idempotency-Key.
   */
  preview?(call: CallOf<P, Q, B>, tx: Tx): Promise<Reply>;
  /** Runs before the transaction, for slow work such as decoding a picture; `handle` receives its result. */
  prepare?(call: CallOf<P, Q, B>): Promise<Prepared>;
  /** Runs in one transaction with the claim of the Idempotency-Key and the stored reply. */
  handle(call: CallOf<P, Q, B>, tx: Tx, prepared: Prepared): Promise<Reply>;
}

interface AskingGateway<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Asked, Known>
  extends Declared<P, Q>,
    Answering,
    ChangingOnce<P, Q, B> {
  readonly steps: GatewaySteps<CallOf<P, Q, B>, Asked, Known>;
}

interface Running<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Declared<P, Q>,
    Answering,
    Changing,
    Editing {
  readonly method: "GET" | ChangingMethod;
  readonly body?: B;
  /** Opens its own transactions and writes its own audit entry. */
  run(call: CallOf<P, Q, B>): Promise<Reply>;
}

interface Uploading<P extends z.ZodType, Q extends z.ZodType, Form extends z.ZodType>
  extends Declared<P, Q>,
    Answering,
    Changing {
  readonly body?: never;
  /** The file, which is the body of the call. */
  readonly upload: UploadRule<Form>;
}

interface Storing<P extends z.ZodType, Q extends z.ZodType, Prepared> extends Uploading<P, Q, z.ZodType> {
  /** Runs before the transaction, to examine the file; `handle` receives its result. */
  prepare(call: Call<z.output<P>, z.output<Q>, UploadedFile>): Promise<Prepared>;
  handle(call: Call<z.output<P>, z.output<Q>, UploadedFile>, tx: Tx, prepared: Prepared): Promise<Reply>;
}

interface Importing<P extends z.ZodType, Q extends z.ZodType, Form extends z.ZodType> extends Uploading<P, Q, Form> {
  /** Opens its own transactions and writes its own audit entry. */
  run(call: Call<z.output<P>, z.output<Q>, UploadedForm<z.output<Form>>>): Promise<Reply>;
}

interface Downloading<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Declared<P, Q> {
  /** Media type of the file. */
  readonly media: string;
  /** Opens its own transactions. */
  download(call: CallOf<P, Q, B>): Promise<Download>;
}

type Any = z.ZodType;

/** Reads, in one transaction. */
export type ReadEndpoint = Reading<Any, Any, Any> & { readonly kind: "read" };
/** Changes something, in one transaction. */
export type WriteEndpoint = Writing<Any, Any, Any, unknown> & { readonly kind: "write" };
/** Requests something from a gateway that must happen once. */
export type GatewayEndpoint = AskingGateway<Any, Any, Any, unknown, unknown> & { readonly kind: "gateway" };
/** Opens its own transactions. */
export type RunEndpoint = Running<Any, Any, Any> & { readonly kind: "run" };
/** Stores an uploaded file, in one transaction. */
export type UploadEndpoint = Storing<Any, Any, unknown> & { readonly kind: "upload"; readonly method: "POST" };
/** Reads an uploaded file, and opens its own transactions. */
export type ImportEndpoint = Importing<Any, Any, Any> & { readonly kind: "import"; readonly method: "POST" };
/** Replies with a file. */
export type DownloadEndpoint = Downloading<Any, Any, Any> & Asking<Any> & { readonly kind: "download" };

/** A declared endpoint. Guards, validation, idempotency, audit and documentation follow from the declaration. */
export type Endpoint =
  | ReadEndpoint
  | WriteEndpoint
  | GatewayEndpoint
  | RunEndpoint
  | UploadEndpoint
  | ImportEndpoint
  | DownloadEndpoint;

/** Whether read-only accounts are refused. */
export function isForWritable(endpoint: Endpoint): boolean {
  if (endpoint.kind === "read" || endpoint.kind === "download") return false;
  return endpoint.writes ?? endpoint.method !== "GET";
}

/** Whether it changes nothing, whoever uses it. */
export const changesNothing = ({ method, onlyReads }: Endpoint): boolean => method === "GET" || onlyReads === true;

/** Whether live organisations are refused, which have no test clock. */
export const isForSandbox = ({ permission }: Pick<Endpoint, "permission">): boolean =>
  permission.startsWith("test_clock:");

/** Every permission that a member of staff needs. */
export const permissionsOf = ({
  permission,
  also = [],
}: Pick<Endpoint, "permission" | "also">): readonly Permission[] => [permission, ...also];

/** Whether the endpoint accepts an Idempotency-Key. */
export const takesKey = (endpoint: Endpoint): boolean =>
  (endpoint.kind === "write" || endpoint.kind === "gateway") && endpoint.idempotent === true;

/** The kind of the records that it shows, where their relations can be expanded. */
export const expandsOf = (endpoint: Endpoint): Expandable | undefined =>
  endpoint.kind === "read" ? endpoint.expands : undefined;

/** Whether the body may have `opened`, in the dashboard's API. */
export const isEdit = (endpoint: Endpoint): boolean =>
  (endpoint.kind === "write" || endpoint.kind === "run") && endpoint.edits === true;

/** The JSON replies by status; none for an endpoint that replies with a file. */
export const repliesOf = (endpoint: Endpoint): Readonly<Record<number, z.ZodType>> =>
  endpoint.kind === "download" ? {} : endpoint.replies;

/**
 * Declares an endpoint whose work is one transaction. This is the usual kind: a read when the method is GET, or when a
 * body is read with `onlyReads`; a write otherwise.
 */
export const endpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared = unknown>(
  declaration: Reading<P, Q, B> | Writing<P, Q, B, Prepared>,
): Endpoint => (isReading(declaration) ? { kind: "read", ...declaration } : { kind: "write", ...declaration });

const isReading = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared>(
  declaration: Reading<P, Q, B> | Writing<P, Q, B, Prepared>,
): declaration is Reading<P, Q, B> => declaration.method === "GET" || declaration.onlyReads === true;

/** Declares an endpoint that requests something from a gateway that must happen once: a refund, a charge, a mandate. */
export const gatewayEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Asked, Known = never>(
  declaration: AskingGateway<P, Q, B, Asked, Known>,
): Endpoint => ({ kind: "gateway", ...declaration });

/** Declares an endpoint that opens its own transactions. A repeated request does its work again. */
export const ownTransactionsEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Running<P, Q, B>,
): Endpoint => ({ kind: "run", ...declaration });

/** Declares an endpoint that accepts one file and does its work in one transaction. */
export const uploadEndpoint = <P extends z.ZodType, Q extends z.ZodType, Prepared>(
  declaration: Storing<P, Q, Prepared>,
): Endpoint => ({ kind: "upload", method: "POST", ...declaration });

/**
 * Declares an endpoint that accepts one file and opens its own transactions. A repeated request does its work again.
 */
export const importEndpoint = <P extends z.ZodType, Q extends z.ZodType, F extends z.ZodType>(
  declaration: Importing<P, Q, F>,
): Endpoint => ({ kind: "import", method: "POST", ...declaration });

/** Declares an endpoint that replies with a file of one media type, to a GET unless it reads a body. */
export const downloadEndpoint = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  declaration: Downloading<P, Q, B> & (Partial<AskingByGet> | AskingByPost<B>),
): Endpoint =>
  declaration.method === "POST"
    ? { kind: "download", ...declaration }
    : { kind: "download", ...declaration, method: "GET" };
