/** How a client reaches the service. */
export interface ClientOptions {
  /** `tefo_…`. Keep it on a server. */
  readonly apiKey: string;
  /** Where the service is: `https://pay.example.co.za`. */
  readonly baseUrl: string;
  /** How long one attempt may take. Default: 30 000. */
  readonly timeoutMs?: number;
  /** How often a request is sent again. Default: 4. */
  readonly retries?: number;
  /** The longest wait before a request is sent again; one that has to wait longer fails at once. Default: 60 000. */
  readonly retryWaitMaxMs?: number;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
  /** Told of each answer: for a log, and for the warnings about fields that the service does not know. */
  readonly onAnswer?: (answer: Answered) => void;
}

/** What `onAnswer` is told. */
export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
  /** From the header `Tefo-Warnings`: `unknown field "external_reference" (did you mean "externalReference"?)`. */
  readonly warnings: string | null;
  /** From 1. */
  readonly attempt: number;
  readonly ms: number;
}

/** How one request is made. */
export interface RequestOptions {
  /**
   * For a POST; one is made up unless given. Give one that you have stored before, such as an order's number, so that a
   * restart of your own process does nothing twice either.
   */
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly signal?: AbortSignal;
}
