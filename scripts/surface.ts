/** The parts of an OpenAPI description that are compared between versions. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What a description lets its callers rely on. */
export interface Surface {
  /** What callers may send, and what they get: none may go. */
  readonly promises: ReadonlySet<string>;
  /** What callers must send, by the operation or schema that demands it: none may be added to one that there was. */
  readonly demands: ReadonlySet<string>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Way = "takes" | "gives";

const onlyValueOf = (schema: Schema | undefined): unknown =>
  schema?.const ?? (schema?.enum?.length === 1 ? schema.enum[0] : undefined);

/** The field by which objects of several kinds are told apart: each of them has a value of its own there. */
const kindFieldOf = (kinds: readonly Schema[]): string | undefined =>
  Object.keys(kinds[0]?.properties ?? {}).find((name) => {
    const values = new Set(kinds.map(({ properties }) => onlyValueOf(properties?.[name])));
    return kinds.length > 1 && values.size === kinds.length && !values.has(undefined);
  });

/** The parts of a schema, each with a mark for its place: what one kind of object demands is no demand of the others. */
function partsOf({ anyOf, oneOf, allOf = [] }: Schema, way: Way): readonly (readonly [mark: string, part: Schema])[] {
  const kinds = anyOf ?? oneOf ?? [];
  const field = way === "takes" ? kindFieldOf(kinds) : undefined;
  const marked = kinds.map((part) => {
    const value = field && onlyValueOf(part.properties?.[field]);
    return [value === undefined ? "" : `(${field} ${value})`, part] as const;
  });
  return [...marked, ...allOf.map((part) => ["", part] as const)];
}

/** Whatever a caller may rely on in a description, a line for each. */
export function surfaceOf(description: Description): Surface {
  const [promises, demands] = [new Set<string>(), new Set<string>()];
  const told = new Set<string>();
  const nameOf = (ref: string): string => ref.split("/").at(-1) ?? "";
  const typeOf = (schema: Schema): string => {
    if (schema.$ref) return nameOf(schema.$ref);
    const some = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    // Several kinds of objects are told apart by their fields, so that a request may get further ones.
    if (some) return [...new Set(some.map(typeOf))].toSorted().join(" or ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    const types = [schema.type ?? "any"].flat();
    const own = types.map((type) => (type === "array" && schema.items ? `list of ${typeOf(schema.items)}` : type));
    return own.toSorted().join(" or ");
  };
  const tell = (place: string, schema: Schema, way: Way): void => {
    if (schema.$ref) {
      const name = nameOf(schema.$ref);
      if (told.has(`${way} ${name}`)) return;
      told.add(`${way} ${name}`);
      const named = description.components?.["schemas"]?.[name];
      if (named) tell(name, named as Schema, way);
      return;
    }
    // Replies may get further values (interface 9); a request's may not go.
    if (way === "takes") for (const value of schema.enum ?? []) promises.add(`${place} takes ${JSON.stringify(value)}`);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isSure = schema.required?.includes(name) ?? false;
      promises.add(`${place}.${name} ${way} ${typeOf(property)}`);
      if (way === "gives" && isSure) promises.add(`${place}.${name} is always given`);
      if (way === "takes" && isSure) demands.add(`${place} needs ${name}`);
      tell(`${place}.${name}`, property, way);
    }
    for (const [mark, part] of partsOf(schema, way)) tell(`${place}${mark}`, part, way);
    if (schema.items) tell(`${place}[]`, schema.items, way);
    if (typeof schema.additionalProperties === "object") tell(`${place}{}`, schema.additionalProperties, way);
  };
  const parameterOf = (given: Parameter): Parameter =>
    given.$ref ? ((description.components?.["parameters"]?.[nameOf(given.$ref)] ?? {}) as Parameter) : given;
  for (const [path, item] of Object.entries(description.paths))
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (!operation) continue;
      const place = `${method.toUpperCase()} ${path}`;
      promises.add(`${place} is ${operation.operationId}`);
      for (const parameter of operation.parameters?.map(parameterOf) ?? []) {
        const { name, in: where, required = false, schema = {} } = parameter;
        promises.add(`${place} ${where} ${name} takes ${typeOf(schema)}`);
        if (required) demands.add(`${place} needs ${name}`);
        tell(`${place} ${where} ${name}`, schema, "takes");
      }
      for (const [type, { schema = {} }] of Object.entries(operation.requestBody?.content ?? {})) {
        promises.add(`${place} takes ${type} ${typeOf(schema)}`);
        tell(`${place} body`, schema, "takes");
      }
      if (operation.requestBody?.required) demands.add(`${place} needs a body`);
      for (const [status, { content }] of Object.entries(operation.responses ?? {}))
        for (const [type, { schema = {} }] of Object.entries(content ?? {})) {
          promises.add(`${place} ${status} gives ${type} ${typeOf(schema)}`);
          tell(`${place} ${status}`, schema, "gives");
        }
    }
  return { promises, demands };
}

/** What a newer description breaks of a released one, in words; nothing when callers of the released one go on as before. */
export function breaksOf(released: Surface, current: Surface): string[] {
  const gone = [...released.promises].filter((promise) => !current.promises.has(promise));
  // The demands of what is new are nobody's yet.
  const placeOf = (demand: string): string => demand.slice(0, demand.lastIndexOf(" needs "));
  const wasThere = (place: string): boolean =>
    [...released.promises, ...released.demands].some(
      (line) => line.startsWith(`${place} `) || line.startsWith(`${place}.`),
    );
  const added = [...current.demands].filter((demand) => !released.demands.has(demand));
  return [
    ...gone.map((promise) => `no more: ${promise}`),
    ...added.filter((demand) => wasThere(placeOf(demand))).map((demand) => `newly: ${demand}`),
  ];
}

/** A surface as text, a line each, so that a change of it can be read. */
export const surfaceText = ({ promises, demands }: Surface): string =>
  [
    ...[...promises].toSorted().map((line) => `+ ${line}\n`),
    ...[...demands].toSorted().map((line) => `! ${line}\n`),
  ].join("");

/** The surface of such a text. */
export function surfaceFrom(text: string): Surface {
  const lines = text.split("\n");
  const of = (sign: string) => new Set(lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2)));
  return { promises: of("+ "), demands: of("! ") };
}
