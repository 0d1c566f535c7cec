import { ERROR_STATUSES } from "../../kernel/errors.ts";
import { BODY_CHARACTERS_MAX } from "../errors.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Headers of every response of the client API except 401 (interface 8). */
export const RATE_HEADERS = {
  "X-RateLimit-Limit": { description: "Requests that the window allows.", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Requests left in the window.", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "When the window ends, in Unix seconds.", schema: { type: "integer" } },
} as const;

const RETRY_AFTER = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };

/** Schema of an error (interface 7). */
export const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  required: ["error", "message", "docUrl", "requestId"],
  properties: {
    error: {
      type: "string",
      description: "Match on this and on the status; codes may be added.",
      examples: Object.keys(ERROR_STATUSES),
    },
    message: { type: "string", description: "For people; may change." },
    code: {
      type: "string",
      description: "Names the condition more exactly, where there is such a code; codes may be added.",
      examples: ["customer_not_found", "plan_not_found"],
    },
    docUrl: { type: "string", format: "uri", description: "Explains the error." },
    requestId: {
      type: ["string", "null"],
      description:
        "The request, as in the header `X-Request-Id`; a stored answer names the request that was performed.",
    },
    issues: {
      type: "array",
      description: "With a validation failure: each fault, and where it is.",
      items: {
        type: "object",
        description: "A fault; what is expected of the value, such as `minimum`, stands beside the message.",
        additionalProperties: true,
        required: ["origin", "code", "path", "message"],
        properties: {
          origin: {
            type: "string",
            description:
              "The kind of value that was expected or sent, such as `string` or `number`; `rule` where a rule of the service refuses.",
          },
          code: { type: "string" },
          path: { type: "array", items: { type: ["string", "integer"] } },
          message: { type: "string" },
        },
      },
    },
  },
};

/**
 * The schema of an error of the dashboard's API, which shows a person who edits a record the fields that have changed
 * in the meantime (interface 14.1).
 */
export const DASHBOARD_ERROR_SCHEMA: JsonSchema = {
  ...ERROR_SCHEMA,
  properties: {
    ...(ERROR_SCHEMA["properties"] as object),
    changed: {
      type: "array",
      description: "With `record_changed`: each field that was changed in the meantime.",
      items: {
        type: "object",
        required: ["field", "before", "after", "by", "at"],
        properties: {
          field: { type: "string", description: "Its name; within an object, the path: `branding.address`." },
          before: { description: "Its value in `opened`." },
          after: { description: "Its value now." },
          by: { type: ["string", "null"], description: "Who changed it, where your role may read the audit log." },
          at: { type: ["string", "null"], format: "date-time", description: "When." },
        },
      },
    },
  },
};

interface Refusal {
  readonly name: string;
  readonly when: string;
  readonly retryAfter?: boolean;
}

/** Descriptions of refusals by status, shared by all operations. */
export const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: "Invalid", when: "The body or query is invalid, or a business rule refuses the request." },
  401: { name: "Unauthorized", when: "The caller is not authenticated." },
  403: { name: "Forbidden", when: "The plan, the account or the permissions do not allow it." },
  404: { name: "NotFound", when: "There is no such record in the organisation." },
  409: { name: "Conflict", when: "The record's state, another record, or the Idempotency-Key does not allow it." },
  413: { name: "TooLarge", when: `The body is over ${BODY_CHARACTERS_MAX} characters, or the file over its limit.` },
  415: {
    name: "UnsupportedMediaType",
    when: "The body is not sent as JSON, or the file not as `multipart/form-data`.",
  },
  429: { name: "RateLimited", when: "Too many requests in this window.", retryAfter: true },
  500: { name: "InternalError", when: "Something went wrong on our side; it is never stored for an Idempotency-Key." },
  502: { name: "GatewayError", when: "The payment gateway refused, or gave no clear answer." },
  503: { name: "Unavailable", when: "The service is restarting or has no database.", retryAfter: true },
};

/** Reference to the component of a refusal. */
export const refusalReference = (status: number): JsonSchema => ({
  $ref: `#/components/responses/${REFUSALS[status]?.name}`,
});

/**
 * Components for the refusals with these statuses; with `rates`, with the headers of interface 8 where they have them.
 */
export function refusalComponents(statuses: Iterable<number>, rates: boolean): Record<string, JsonSchema> {
  return Object.fromEntries(
    [...new Set(statuses)].sort().flatMap((status): [string, JsonSchema][] => {
      const refusal = REFUSALS[status];
      if (!refusal) return [];
      const headers = {
        ...(rates && status !== 401 ? rateHeaderReferences : {}),
        ...(refusal.retryAfter ? RETRY_AFTER : {}),
      };
      const codes = Object.entries(ERROR_STATUSES).flatMap(([code, known]) =>
        (known as readonly number[]).includes(status) ? `\`${code}\`` : [],
      );
      const answer = {
        description: `${refusal.when} ${codes.join(", ")}.`,
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      };
      return [[refusal.name, answer]];
    }),
  );
}

/** `X-RateLimit-*` by reference. */
export const rateHeaderReferences: JsonSchema = Object.fromEntries(
  Object.keys(RATE_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
