/** Interface 7.2, row for row. Some codes come with more than one status. */
export const ERROR_STATUSES = {
  invalid_request: [400, 409, 413, 415],
  unauthorized: [401],
  plan_restricted: [403],
  plan_limit: [403],
  account_restricted: [403],
  permission_required: [403],
  reauthentication_required: [403],
  not_found: [404],
  method_not_allowed: [405],
  idempotency_conflict: [409],
  invalid_state: [409],
  external_reference_conflict: [409],
  card_setup_unavailable: [409],
  charge_exists: [409],
  no_default_card: [409],
  card_not_chargeable: [409],
  card_charges_unavailable: [409],
  unsupported: [409],
  nothing_to_retry: [409],
  invoice_linked: [409],
  plan_code_taken: [409],
  external_subscription: [409],
  not_external: [409],
  stale_period: [409],
  concurrent_update: [409],
  record_changed: [409],
  rate_limited: [429],
  internal_error: [500],
  gateway_error: [502],
  service_unavailable: [503],
} as const satisfies Record<string, readonly number[]>;

export type ErrorCode = keyof typeof ERROR_STATUSES;
type StatusOf<C extends ErrorCode> = (typeof ERROR_STATUSES)[C][number];

/** One fault in a body or query (interface 7.1): Zod's issue shape, passed through. */
export interface Issue {
  /** What kind of value the fault is of, such as `string` or `number`; absent, and shown as `rule`, where a rule of the service refuses. */
  readonly origin?: string;
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly [key: string]: unknown;
}

/** A refusal the caller sees: code, status and a message that says what to change. `new ApiError("not_found", 409, …)` does not compile. */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly status: StatusOf<C>;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The condition that the refusal names more exactly than its code, such as `customer_not_found`. */
  readonly condition: string | undefined;
  /** What the refusal shows beside its code and message, such as the record that is there already. */
  readonly shown: Readonly<Record<string, object>>;

  constructor(
    code: C,
    status: StatusOf<C>,
    message: string,
    detail: {
      issues?: readonly Issue[];
      headers?: Record<string, string>;
      shown?: Readonly<Record<string, object>>;
      condition?: string | undefined;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.issues = detail.issues;
    this.headers = detail.headers ?? {};
    this.shown = detail.shown ?? {};
    this.condition = detail.condition;
  }

  /** The body of interface 7, without what the request adds. */
  body(): { error: C; message: string; code?: string; issues?: readonly Issue[] } {
    return {
      ...this.shown,
      error: this.code,
      message: this.message,
      ...(this.condition === undefined ? {} : { code: this.condition }),
      ...(this.issues ? { issues: this.issues } : {}),
    };
  }
}

/** 400 `invalid_request`: a rule of the business refuses, or a field is wrong (then with `issues`). */
export const invalid = (message: string, issues?: readonly Issue[]): ApiError =>
  new ApiError("invalid_request", 400, message, issues ? { issues } : {});

/** 400 about one field, with the issue that names it. */
export const invalidField = (path: readonly (string | number)[], message: string): ApiError =>
  invalid(message, [{ code: "custom", path, message }]);

/** 404; the same words for another organisation's record as for one that does not exist (interface 1.1). */
export const notFound = (what: string): ApiError => new ApiError("not_found", 404, `No such ${what}.`);

/** What fields of bodies name by an id or a code, in the words of messages. */
export const NAMED_RECORDS = [
  "coupon",
  "customer",
  "invoice",
  "package",
  "plan",
  "product",
  "webhook endpoint",
] as const;

/** 400 about a field that names a record which the organisation does not have; `value` is what it names. */
export const noSuch = (
  path: readonly (string | number)[],
  what: (typeof NAMED_RECORDS)[number],
  value: string | null = null,
): ApiError => {
  const message = value ? `No such ${what}: ${value.slice(0, 100)}.` : `No such ${what}.`;
  return new ApiError("invalid_request", 400, message, {
    issues: [{ code: "custom", path, message }],
    condition: `${what.replaceAll(" ", "_")}_not_found`,
  });
};
