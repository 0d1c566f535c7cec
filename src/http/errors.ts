import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { ApiError, type Issue, invalid, invalidField } from "../kernel/errors.ts";
import { truncate } from "../kernel/text.ts";
import { notInCurrency } from "./own-decimals.ts";

/** The interface's errors by the framework's codes, for faults found before a handler runs. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => tooLarge(),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedType(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalid("The Content-Length header does not match the body."),
  FST_ERR_BAD_URL: () => new ApiError("not_found", 404, "No such path: its percent-encoding is broken."),
  FST_ERR_ASYNC_CONSTRAINT: () => new ApiError("not_found", 404, "No such path."),
};

export const BODY_CHARACTERS_MAX = 100_000;

/** The error 413 (interface 8). */
export const tooLarge = (most = BODY_CHARACTERS_MAX): ApiError =>
  new ApiError("invalid_request", 413, `The body must be at most ${most} characters.`);

/** The error 415 for a body that is not JSON where JSON is required. */
export const unsupportedType = (): ApiError =>
  new ApiError("invalid_request", 415, "Send the body as JSON with the header Content-Type: application/json.");

/** The error as the caller may see it. An unexpected error becomes `internal_error` with a generic message. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = FRAMEWORK_ERRORS[(error as FastifyError)?.code ?? ""];
  if (known) return known();
  const status = (error as FastifyError)?.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return invalid("The request cannot be read. Check its headers and body.");
  return new ApiError("internal_error", 500, "Something went wrong on our side. It has been logged; try again.");
}

/** Sends an error as JSON in the form of interface 7; logs unexpected ones. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = toApiError(error);
  request.refusal = answer.code;
  if (answer.status >= 500) request.log.error({ err: error }, "request failed");
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .type("application/json; charset=utf-8")
    .send(errorText(answer, { baseUrl: request.server.baseUrl, requestId: request.id }));
}

/** An error as JSON, with where it is explained and the id of its request (interface 7.1). */
export function errorText(
  error: ApiError,
  { baseUrl, requestId }: { readonly baseUrl: string; readonly requestId: string | null },
): string {
  const { issues, ...body } = error.body();
  const docUrl = `${baseUrl}/docs/errors/${error.condition ?? error.code}`;
  return JSON.stringify({ ...body, docUrl, requestId, ...(issues ? { issues: issues.map(withOrigin) } : {}) });
}

/** A fault of which no kind of value is known is one of a rule. */
const withOrigin = (issue: Issue): Issue => ({ origin: "rule", ...issue });

/** Parses a value with a schema; a failure is 400 with Zod's issues (interface 4.2). `what` is "body" or "query". */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) {
    const [wrong] = what === "body" ? notInCurrency(value, null, []) : [];
    if (wrong) throw invalidField(wrong.path, wrong.message);
    return result.data;
  }
  const issues = result.error.issues.map(({ path, ...issue }): Issue => {
    const { input: _input, inst: _inst, ...rest } = issue as Record<string, unknown>;
    const where = path.map((part) => (typeof part === "symbol" ? String(part) : part));
    return {
      origin: originOf(rest, heldAt(value, where)),
      ...rest,
      code: issue.code,
      message: isMissing(value, issue.code, where) ? `${where.join(".")} is required` : inPlainWords(issue.message),
      path: where,
    };
  });
  const [first] = issues;
  const words = first?.message ?? "does not fit";
  const where = first?.path.join(".") ?? "";
  const placed = words === `${where} is required` || where === "" ? words : `${where} ${words}`;
  throw invalid(truncate(`Invalid ${what}: ${placed}.`.replace("..", "."), 500), issues);
}

/** Faults by which Zod reports a field that is not there. */
const MISSING_FAULTS = ["invalid_type", "invalid_value", "invalid_union"];

/** Whether a fault is that the field is not there. */
function isMissing(value: unknown, fault: string, path: readonly (string | number)[]): boolean {
  if (path.length === 0 || !MISSING_FAULTS.includes(fault)) return false;
  return heldAt(value, path) === undefined;
}

/** What a body or query has at a path; undefined where it has nothing. */
const heldAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inside, part) =>
      typeof inside === "object" && inside !== null ? (inside as Record<string, unknown>)[part] : undefined,
    value,
  );

/** The kind of value that a fault is of, where Zod names none: the expected one, else that of the value. */
function originOf({ expected }: Readonly<Record<string, unknown>>, held: unknown): string {
  if (typeof expected === "string") return expected;
  if (held === null) return "null";
  return Array.isArray(held) ? "array" : typeof held;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a JSON number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a JSON object",
  record: "a JSON object",
};

/** Zod's own words about a value of another type, as a sentence that says what to send. */
function inPlainWords(message: string): string {
  const expected = /^Invalid input: expected (\w+), received \w+$/.exec(message)?.[1];
  if (expected !== undefined) return `must be ${TYPES[expected] ?? expected}`;
  const choices = /^Invalid option: expected one of (.+)$/.exec(message)?.[1];
  return choices === undefined ? message : `must be one of ${choices.replaceAll('"', "").split("|").join(", ")}`;
}
