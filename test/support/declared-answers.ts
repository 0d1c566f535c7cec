import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../../src/http/endpoint.ts";

/** What a test got from the APIs. */
interface Got {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

/** The fields of a refusal (interface 7). */
export const REFUSAL_FIELDS = {
  error: z.string(),
  message: z.string().min(1),
  code: z.string().optional(),
  docUrl: z.url(),
  requestId: z.string().nullable(),
  issues: z
    .array(z.looseObject({ code: z.string(), path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
    .optional(),
};
/** Single endpoints show more beside it, as they declare. */
const Refused = z.looseObject(REFUSAL_FIELDS);

interface Declared {
  readonly method: string;
  readonly pattern: RegExp;
  readonly replies: Readonly<Record<number, z.ZodType>>;
}

const patternOf = (prefix: string, path: string): RegExp =>
  new RegExp(`^${prefix}${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);

const declaredAt = (prefix: string, endpoints: readonly Endpoint[], staff: boolean): Declared[] =>
  endpoints.flatMap((endpoint) =>
    endpoint.kind === "download"
      ? []
      : {
          method: endpoint.method,
          pattern: patternOf(endpoint.base ?? prefix, endpoint.path),
          replies: (staff ? endpoint.staffReplies : undefined) ?? endpoint.replies,
        },
  );

let loaded: Promise<readonly Declared[]> | undefined;
async function allDeclared(): Promise<readonly Declared[]> {
  const { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS } = await import("../../src/catalogue.ts");
  // A path without a parameter comes before one that would take its last part for an id.
  return [
    ...declaredAt("/api/v1", CLIENT_ENDPOINTS, false),
    ...declaredAt("/dashboard/api", DASHBOARD_ENDPOINTS, true),
  ].toSorted((a, b) => a.pattern.source.split("[^/]+").length - b.pattern.source.split("[^/]+").length);
}

/**
 * Compares the JSON answer of an endpoint with its declaration, from which the published descriptions are made; undeclared
 * fields and statuses are faults too. Throws an AssertionError that names the request.
 */
export async function checkAnswer(method: string, url: string, { status, text, body }: Got): Promise<void> {
  const path = url.split("?", 1)[0] ?? "";
  loaded ??= allDeclared();
  const endpoint = (await loaded).find((one) => one.method === method && one.pattern.test(path));
  if (!endpoint || status === 304) return;
  const what = `${method} ${url}: ${status} ${text.slice(0, 2_000)}`;
  if (status >= 400) return void assert.ok(Refused.safeParse(body).success, what);
  const schema = endpoint.replies[status];
  assert.ok(schema, `${what}: the status is not declared`);
  const parsed = schema.safeParse(body);
  assert.ok(parsed.success, `${what}: ${parsed.error?.message}`);
  // Parsing leaves out undeclared fields, so that equality means that the answer had none; it leaves out a key `__proto__` too.
  if (!text.includes('"__proto__"')) assert.deepEqual(parsed.data, body, what);
}
