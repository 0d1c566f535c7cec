/** A fault in what was sent. */
export interface Issue {
  readonly code: string;
  /** `["lines", 0, "amount"]` */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The body of a refusal. */
interface Refusal {
  readonly error?: string;
  readonly message?: string;
  readonly code?: string;
  readonly docUrl?: string;
  readonly requestId?: string | null;
  readonly issues?: readonly Issue[];
}

/** What an error says beside its message. */
interface Facts extends Refusal {
  readonly status?: number;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** Every error of a request. */
export class TefoError extends Error {
  override readonly name: string = "TefoError";
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** Match on this, on `code`, or on the class. */
  readonly error: string;
  /** Names the condition more exactly, where there is such a code: `customer_not_found`. */
  readonly code: string | null;
  /** The page that explains the error. */
  readonly docUrl: string | null;
  /** Quote it when you ask for help. */
  readonly requestId: string | null;
  readonly issues: readonly Issue[];
  /** Seconds after which the service wants the request again. */
  readonly retryAfter: number | null;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status ?? null;
    this.error = facts.error ?? "connection";
    this.code = facts.code ?? null;
    this.docUrl = facts.docUrl ?? null;
    this.requestId = facts.requestId ?? null;
    this.issues = facts.issues ?? [];
    this.retryAfter = facts.retryAfter ?? null;
  }
}

/** 400, 405, 413, 415: the request has to be corrected. `issues` says where. */
export class InvalidRequest extends TefoError {
  override readonly name = "InvalidRequest";
}

/** 401: the key is missing, wrong, revoked or expired. */
export class Unauthorized extends TefoError {
  override readonly name = "Unauthorized";
}

/** 403: the key lacks a scope or permission, or the plan or account does not allow it; `error` says which. */
export class PermissionRequired extends TefoError {
  override readonly name = "PermissionRequired";
}

/** 404: there is no such record in this organisation. */
export class NotFound extends TefoError {
  override readonly name = "NotFound";
}

/** 409: the state of a record does not allow it, or the Idempotency-Key had another body. */
export class Conflict extends TefoError {
  override readonly name = "Conflict";
}

/** 429: too many requests, and the retries are used up. */
export class RateLimited extends TefoError {
  override readonly name = "RateLimited";
}

/** 5xx: an error of the service, or of a gateway behind it (`error` is `gateway_error`). */
export class ServiceError extends TefoError {
  override readonly name = "ServiceError";
}

/** No answer came: the connection failed or broke. */
export class ConnectionFailed extends TefoError {
  override readonly name: string = "ConnectionFailed";
}

/** No answer came in `timeoutMs`. */
export class TimedOut extends ConnectionFailed {
  override readonly name = "TimedOut";
}

/** A delivery that Tefo has not signed, or that is too old. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
}

const CLASSES: Readonly<Record<number, typeof TefoError>> = {
  401: Unauthorized,
  403: PermissionRequired,
  404: NotFound,
  409: Conflict,
  429: RateLimited,
};

/** The error of an answer that refuses; `text` is its body, of whatever form. */
export function refusalOf(response: Response, text: string): TefoError {
  const { status } = response;
  const Class = CLASSES[status] ?? (status >= 500 ? ServiceError : InvalidRequest);
  const body = parsed(text);
  return new Class(body.message ?? `The service answered ${status}.`, {
    ...body,
    status,
    error: body.error ?? `http_${status}`,
    requestId: body.requestId ?? response.headers.get("x-request-id"),
    retryAfter: retryAfterOf(response),
  });
}

/** A proxy in front of the service answers in a form of its own. */
function parsed(text: string): Refusal {
  try {
    return (JSON.parse(text) ?? {}) as Refusal;
  } catch {
    return {};
  }
}

/** Seconds of `Retry-After`, which may also be a date. */
function retryAfterOf(response: Response): number | null {
  const text = response.headers.get("retry-after");
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
