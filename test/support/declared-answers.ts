import assert from "node:assert/strict";
import { z } from "zod";
import { type Endpoint, expandsOf } from "../../src/http/endpoint.ts";
import { EXPAND, type Expandable, type Expansions, expansionsOf, type Shown } from "../../src/http/expand/expand.ts";

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
    .array(
      z.looseObject({
        origin: z.string(),
        code: z.string(),
        path: z.array(z.union([z.string(), z.number()])),
        message: z.string(),
      }),
    )
    .optional(),
};
/** Single endpoints show more beside it, as they declare. */
const Refused = z.looseObject(REFUSAL_FIELDS);

interface Declared {
  readonly method: string;
  readonly pattern: RegExp;
  readonly replies: Readonly<Record<number, z.ZodType>>;
  readonly toStaff: boolean;
  readonly expands: Expandable | undefined;
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
          toStaff: staff,
          expands: expandsOf(endpoint),
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
  const { expands, toStaff } = endpoint;
  const asked = new URL(url, "http://localhost").searchParams.getAll(EXPAND);
  // Parsing leaves out a key `__proto__`.
  const isWhole = !text.includes('"__proto__"');
  if (!expands || asked.length === 0) return checkShown(schema, body, { what, isWhole });
  const expansions = expansionsOf(expands, asked);
  const shorten = (one: Shown) => shortened(one, { kind: expands, expansions, toStaff, what, isWhole });
  const { data } = body as { data?: Shown[] };
  checkShown(schema, data ? { ...(body as Shown), data: data.map(shorten) } : shorten(body as Shown), {
    what,
    isWhole,
  });
}

interface Checked {
  readonly what: string;
  /** Whether it is compared field by field. */
  readonly isWhole: boolean;
}

/** Parsing leaves out undeclared fields, so that equality means that the answer had none. */
function checkShown(schema: z.ZodType, shown: unknown, { what, isWhole }: Checked): void {
  const parsed = schema.safeParse(shown);
  assert.ok(parsed.success, `${what}: ${parsed.error?.message}`);
  if (isWhole) assert.deepEqual(parsed.data, shown, what);
}

interface Expanded extends Checked {
  readonly kind: Expandable;
  readonly expansions: Expansions;
  readonly toStaff: boolean;
}

const objectOf = ({ object, toStaff: shown }: Expandable, toStaff: boolean) =>
  ((toStaff && shown) || object) as z.ZodObject;

/** A record as it is without `expand`; what was expanded of it is compared with its own declaration. */
function shortened(record: Shown, { kind, expansions, ...rest }: Expanded): Shown {
  const { toStaff, what } = rest;
  const { shape } = objectOf(kind, toStaff);
  const short: Record<string, unknown> = { ...record };
  for (const [name, { relation, within }] of expansions) {
    assert.ok(name in record, `${what}: ${name} was asked for`);
    const to = relation.to();
    const declared = shape[name] as z.ZodType | undefined;
    const known = declared ? declared.parse(record[name]) : undefined;
    for (const whole of [record[name] ?? []].flat() as Shown[]) {
      const object = objectOf(to, toStaff);
      // What only the short object has, the whole record keeps.
      const own = Object.entries(whole).filter(([field]) => field in object.shape || !(field in Object(known)));
      const shown = shortened(Object.fromEntries(own), { kind: to, expansions: within, ...rest });
      checkShown(object, shown, { ...rest, what: `${what}: ${name}` });
    }
    if (declared) short[name] = known;
    else delete short[name];
  }
  return short;
}
