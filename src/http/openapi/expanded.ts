import { z } from "zod";
import { assert } from "../../kernel/assert.ts";
import { type Endpoint, expandsOf } from "../endpoint.ts";
import { EXPAND, type Expandable, expandableNames } from "../expand/expand.ts";
import { type JsonSchema, REFERENCE } from "./json-schema.ts";

/*
 * What `expand` adds to the description: the parameter, and in the schema of each record the fields of its relations. All of it is
 * marked `x-expand`: it is given to nobody who does not ask for it, and never in an event.
 */

/** The parameter of reads whose records have relations. */
export const expandParameter = (kind: Expandable): JsonSchema => ({
  name: EXPAND,
  in: "query",
  required: false,
  description:
    "Relations whose whole records the answer has, separated by commas, two levels deep at most. " +
    "Each needs what reading these records needs.",
  style: "form",
  explode: false,
  schema: { type: "array", items: { type: "string", enum: expandableNames(kind) } },
});

type Components = Record<string, JsonSchema>;
type Properties = Readonly<Record<string, JsonSchema>>;

const propertiesOf = (schema: JsonSchema | undefined): Properties => (schema?.["properties"] ?? {}) as Properties;

/** The components with the fields of the relations of the records that the endpoints show. */
export function withRelations(components: Components, endpoints: readonly Endpoint[], toStaff: boolean): Components {
  const roots = endpoints.flatMap((endpoint) => expandsOf(endpoint) ?? []);
  const kinds = new Set(roots.flatMap((kind) => [kind, ...Object.values(kind.relations).map(({ to }) => to())]));
  const nameOf = ({ object, toStaff: shown }: Expandable): string => {
    const id = z.globalRegistry.get((toStaff && shown) || object)?.id;
    assert(id, "a record that can be expanded has a name in the description");
    return id;
  };
  const relations = [...kinds].flatMap((kind) =>
    Object.entries(kind.relations).map(([field, relation]) => ({
      ...relation,
      field,
      from: nameOf(kind),
      target: nameOf(relation.to()),
    })),
  );
  const isShort = ({ field, from }: (typeof relations)[number]) => field in propertiesOf(components[from]);
  const all = { ...components };
  for (const { field, from, target, about, many } of relations.filter((one) => !isShort(one)))
    all[from] = withProperties(all[from], { [field]: relationField(field, target, about, many === true) });
  for (const { field, from, target } of relations.filter(isShort)) extendShort(all, { field, from, target });
  return all;
}

const withProperties = (schema: JsonSchema | undefined, added: Properties): JsonSchema => ({
  ...schema,
  properties: { ...propertiesOf(schema), ...added },
});

function relationField(field: string, target: string, about: string, many: boolean): JsonSchema {
  const reference = { $ref: REFERENCE + target };
  return {
    description: `${about} Only with \`${EXPAND}=${field}\`.`,
    ...(many ? { type: "array", items: reference } : { anyOf: [reference, { type: "null" }] }),
    "x-expand": true,
  };
}

interface Short {
  readonly field: string;
  readonly from: string;
  readonly target: string;
}

/** Adds the fields of the whole record to the short object that stands for it in a field. */
function extendShort(all: Components, { field, from, target }: Short): void {
  const held = propertiesOf(all[from])[field] ?? {};
  const [choice = held] = ((held["anyOf"] ?? []) as JsonSchema[]).filter((one) => one["$ref"] !== undefined);
  const reference = choice["$ref"];
  if (typeof reference === "string") {
    const name = reference.slice(REFERENCE.length);
    all[name] = withWhole(all[name], all[target]);
  } else all[from] = withProperties(all[from], { [field]: withWhole(held, all[target]) });
}

function withWhole(short: JsonSchema | undefined, whole: JsonSchema | undefined): JsonSchema {
  const known = propertiesOf(short);
  const added = Object.entries(propertiesOf(whole)).filter(([name]) => !(name in known));
  return withProperties(
    short,
    Object.fromEntries(
      added.map(([name, schema]) => [
        name,
        schema["x-expand"]
          ? schema
          : { ...schema, description: `${schema["description"]} Only where it is expanded.`, "x-expand": true },
      ]),
    ),
  );
}
