import { FEATURES, PLANS, type QuotaName } from "../../src/kernel/plans.ts";

/** The part of a JSON schema that the tables use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly const?: string;
  readonly "x-expand"?: boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Operation {
  readonly summary: string;
  /** Instead of the document's. */
  readonly servers?: readonly { readonly url: string }[];
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The part of an OpenAPI document that the tables use. */
export interface Description {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: { readonly description: string } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Served {
  /** The method and path: `GET /api/v1/me`. */
  readonly name: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation of a document, in its order. */
export function servedBy({ servers, paths }: Description): Served[] {
  const prefix = servers[0]?.url ?? "";
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${operation.servers?.[0]?.url ?? prefix}${path}`,
      path,
      operation,
    })),
  );
}

/** The JSON body of an operation, named as `POST /payment-links`; undefined when it takes none. */
export function bodyOf(document: Description, name: string): Schema | undefined {
  const [method = "", path = ""] = name.split(" ");
  return jsonBody(document, document.paths[path]?.[method.toLowerCase()]);
}

/** The JSON body of an operation with the schemas that it refers to in their places. */
function jsonBody(document: Description, operation: Operation | undefined): Schema | undefined {
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  return schema && inPlace(document, schema);
}

/** A component by its name, with the schemas that it refers to in their places. */
export function schemaOf(document: Description, name: string): Schema | undefined {
  const schema = document.components.schemas[name];
  return schema && inPlace(document, schema);
}

function inPlace(document: Description, schema: Schema): Schema {
  const { $ref, anyOf, ...own } = schema;
  const { properties, items, oneOf } = own;
  const named = $ref === undefined ? undefined : document.components.schemas[$ref.split("/").at(-1) ?? ""];
  const [choice, ...others] = (anyOf ?? []).filter(({ type }) => type !== "null");
  if (named) return inPlace(document, { ...named, ...own });
  if (choice && others.length === 0) return inPlace(document, { ...choice, ...own });
  const all = (schemas: readonly Schema[]) => schemas.map((one) => inPlace(document, one));
  // What is given only to who asks for it by `expand` contains itself.
  const given = Object.entries(properties ?? {}).filter(([, one]) => !one["x-expand"]);
  const entries = given.map(([name, one]) => [name, inPlace(document, one)] as const);
  return {
    ...own,
    ...(anyOf && { anyOf: all(anyOf) }),
    ...(items && { items: inPlace(document, items) }),
    ...(oneOf && { oneOf: all(oneOf) }),
    ...(properties && { properties: Object.fromEntries(entries) }),
  };
}

type Row = readonly string[];

/** A Markdown table; bars inside cells are escaped. */
function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const takesKey = ({ parameters = [] }: Operation): boolean =>
  parameters.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));

function clientTable(client: Description, tag: string): string {
  const rows = servedBy(client)
    .filter(({ operation }) => operation.tags.includes(tag))
    .map(({ name, operation }) => [
      `\`${name}\``,
      operation.summary,
      operation.description ?? "",
      takesKey(operation) ? "yes" : "",
    ]);
  if (rows.length === 0) throw new Error(`The client API has no operations with the tag ${tag}.`);
  return table(["method and path", "does", "needs", "Idempotency-Key"], rows);
}

function staffTables(client: Description, dashboard: Description, signIn: boolean): string {
  const shared = new Set(servedBy(client).map(({ name }) => name.replace(" /api/v1", " /dashboard/api")));
  const rows = servedBy(dashboard)
    .filter(({ name }) => !shared.has(name))
    .filter(({ operation }) => operation.tags.includes("Signing in") === signIn)
    .map(({ name, operation }) => [`\`${name}\``, operation.summary, ...(signIn ? [] : [operation.description ?? ""])]);
  return table(signIn ? ["method and path", "does"] : ["method and path", "does", "needs"], rows);
}

const number = (value: number): string => value.toLocaleString("en-ZA").replaceAll(/[\s,]/g, " ");

/** The limits in words: `string, 1 to 100 characters`. */
function limitOf(schema: Schema): string | null {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = schema;
  const between = (low: number | undefined, high: number | undefined, what: string) =>
    low !== undefined && low > 0
      ? `${number(low)}${high === undefined ? " or more" : ` to ${number(high)}`}${what}`
      : `at most ${number(high ?? 0)}${what}`;
  if (maxLength !== undefined) return between(minLength, maxLength, " characters");
  if (maxItems !== undefined) return between(minItems, maxItems, " entries");
  if (schema.enum) return schema.enum.filter((value) => value !== null).join(", ");
  const low = exclusiveMinimum === undefined ? minimum : exclusiveMinimum;
  const plain = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const parts = [
    plain(low) ? `${exclusiveMinimum === undefined ? "from" : "above"} ${number(low ?? 0)}` : "",
    plain(maximum) ? `up to ${number(maximum ?? 0)}` : "",
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

function limitsOf(schema: Schema, prefix: string): readonly Row[] {
  if (schema.oneOf) return limitsOfForms(schema.oneOf, prefix);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const limit = limitOf(property);
    const needed = schema.required?.includes(name) ? "required" : "";
    const own: Row[] = limit === null && !needed ? [] : [[`\`${path}\``, limit ?? "", needed]];
    const inside = property.items ? limitsOf(property.items, `${path}[].`) : limitsOf(property, `${path}.`);
    return [...own, ...inside];
  });
}

/** The rows of every form of a value. Rows that only a later form has name the field that distinguishes it from the others. */
function limitsOfForms(forms: readonly Schema[], prefix: string): readonly Row[] {
  const known = new Set<string>();
  return forms.flatMap((form) => {
    const rows = limitsOf(form, prefix).filter((row) => !known.has(row.join("|")));
    const isFirst = known.size === 0;
    for (const row of rows) known.add(row.join("|"));
    const [name, told] =
      Object.entries(form.properties ?? {}).find(([, { const: value }]) => value !== undefined) ?? [];
    if (isFirst || !name) return rows;
    return rows
      .filter(([path]) => path !== `\`${prefix}${name}\``)
      .map(([path = "", ...rest]) => [`${path} of ${told?.const}`, ...rest]);
  });
}

function limitsTable(client: Description): string {
  const rows = servedBy(client).flatMap(({ name, operation }) => {
    const schema = jsonBody(client, operation);
    return schema ? limitsOf(schema, "").map((row, at) => [at === 0 ? `\`${name}\`` : "", ...row]) : [];
  });
  return table(["endpoint", "field", "limit", ""], rows);
}

function plansTable(): string {
  const plans = Object.values(PLANS);
  const quotas: readonly QuotaName[] = ["customers", "activeMandates", "monthlyTransactions"];
  const count = (quota: number | null) => (quota === null ? "no quota" : number(quota));
  return table(
    ["", ...plans.map(({ name }) => `\`${name}\``)],
    [
      ...Object.entries(FEATURES).map(([feature, words]) => [
        words,
        ...plans.map(({ features }) => ((features as readonly string[]).includes(feature) ? "yes" : "")),
      ]),
      ...quotas.map((quota) => [`\`${quota}\``, ...plans.map(({ quotas: own }) => count(own[quota]))]),
    ],
  );
}

/** The table for a marker `<!-- generated: <what> -->`. Throws when there is no such table. */
function generatedTable(what: string, client: Description, dashboard: Description): string {
  if (what.startsWith("endpoints ")) return clientTable(client, what.slice("endpoints ".length));
  switch (what) {
    case "events":
      return table(
        ["event", "`data`"],
        Object.entries(client.webhooks ?? {}).map(([type, { post }]) => [`\`${type}\``, post.description]),
      );
    case "limits":
      return limitsTable(client);
    case "plans":
      return plansTable();
    case "staff endpoints":
      return staffTables(client, dashboard, false);
    case "sign-in endpoints":
      return staffTables(client, dashboard, true);
    default:
      throw new Error(`No table is called ${what}.`);
  }
}

/** The page with every marked table generated again. */
export const withTables = (page: string, client: Description, dashboard: Description): string =>
  page.replaceAll(
    /(<!-- generated: ([^\n]+?) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_all, begin: string, what: string, end: string) =>
      `${begin}\n${generatedTable(what, client, dashboard)}\n\n${end}`,
  );
