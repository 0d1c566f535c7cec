import { z } from "zod";
import type { SortColumns } from "../../domain/ordered-lists.ts";
import { FEATURES } from "../../kernel/plans.ts";
import { type Endpoint, expandsOf, isEdit, repliesOf, takesKey, type UploadRule } from "../endpoint.ts";
import { sortNames } from "../sorted.ts";
import { REFUSALS, rateHeaderReferences, refusalReference } from "./answers.ts";
import { expandParameter } from "./expanded.ts";
import { type JsonSchema, type Schemas, schemaOf } from "./json-schema.ts";
import { operationId } from "./operation-id.ts";

/** The differences between the descriptions of the two APIs. */
export interface ApiTraits {
  /** Whether responses have `X-RateLimit-*`. */
  readonly rateLimited: boolean;
  /** Whether bodies of edits may have `opened`. */
  readonly edits: boolean;
  /** Whether lists may be sorted. */
  readonly sorts: boolean;
  /** The replies, by status. */
  replies(endpoint: Endpoint): Readonly<Record<number, z.ZodType>>;
  /** A sentence about the permission that the caller needs, or null. */
  permission(endpoint: Endpoint): string | null;
}

const QUERY_WORDS: Readonly<Record<string, string>> = {
  limit: "How many, 1 to 100; 20 unless given. What is out of range is clamped, and nonsense means 20.",
  startingAfter: "Answers the records after this one: the last `nextCursor`, or a record's id.",
  endingBefore: "Answers the records before this one: the last `nextCursor` of reading backwards, or a record's id.",
  q: "Words to search for.",
};

const SUCCESS_WORDS: Readonly<Record<number, string>> = { 200: "Done.", 201: "Created." };

/**
 * An endpoint as an OpenAPI operation. Adds its named schemas to `schemas` and the statuses of its refusals to
 * `refused`.
 */
export function operationOf(endpoint: Endpoint, traits: ApiTraits, schemas: Schemas, refused: Set<number>): JsonSchema {
  const expands = expandsOf(endpoint);
  const parameters = [
    ...pathParameters(endpoint.path),
    ...(endpoint.query ? queryParameters(endpoint.query, schemas) : []),
    ...(endpoint.sorts && traits.sorts ? [sortParameter(endpoint.sorts)] : []),
    ...(expands ? [expandParameter(expands)] : []),
    ...(takesKey(endpoint) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  const statuses = refusalsOf(endpoint, traits);
  for (const status of statuses) refused.add(status);
  const words = [
    traits.permission(endpoint),
    endpoint.feature ? `The plan must include ${FEATURES[endpoint.feature]}.` : null,
  ].filter(Boolean);
  return {
    operationId: endpoint.operationId ?? operationId(endpoint.method, endpoint.path, isList(endpoint)),
    summary: endpoint.summary,
    ...(endpoint.base ? { servers: [{ url: endpoint.base, description: "This server." }] } : {}),
    ...(words.length > 0 ? { description: words.join(" ") } : {}),
    tags: [endpoint.tag.name],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.body ? { requestBody: requestBody(endpoint.body, schemas, traits.edits && isEdit(endpoint)) } : {}),
    ...("upload" in endpoint ? { requestBody: uploadBody(endpoint.upload, schemas) } : {}),
    responses: {
      ...successes(endpoint, traits, schemas),
      ...Object.fromEntries(statuses.map((status) => [status, refusalOf(endpoint, status, schemas)])),
    },
  };
}

/** The JSON body; required unless the schema accepts undefined. The body of an edit may have `opened`. */
export function requestBody(body: z.ZodType, schemas: Schemas, edits = false): JsonSchema {
  const schema = schemaOf(body, "input", schemas);
  const shown = edits ? { ...schema, properties: { ...(schema["properties"] as object), opened: OPENED } } : schema;
  return {
    required: !body.safeParse(undefined).success,
    content: { "application/json": { schema: shown } },
  };
}

const OPENED: JsonSchema = {
  type: "object",
  description:
    "The record as you read it, or its fields that you send. " +
    "A field that somebody has changed since is 409 `record_changed`, and nothing is written.",
  additionalProperties: true,
};

/** The body of an upload: one file, as `multipart/form-data`. */
const uploadBody = ({ field, maxBytes, form }: UploadRule, schemas: Schemas): JsonSchema => ({
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object",
        required: [field],
        properties: {
          [field]: { type: "string", format: "binary", description: `At most ${maxBytes / 1024 / 1024} MB.` },
          ...(form && (schemaOf(form, "input", schemas)["properties"] as object)),
        },
      },
    },
  },
});

/** Parameters of the path, such as `{id}`. */
const pathParameters = (path: string): JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: name === "reference" ? "The payment's reference." : "The record's id.",
    schema: { type: "string" },
  }));

function queryParameters(query: z.ZodType, schemas: Schemas): JsonSchema[] {
  const { properties = {}, required = [] } = schemaOf(query, "input", schemas) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: description ?? QUERY_WORDS[name] ?? "Only those with exactly this value.",
    ...(name === "metadata" ? { style: "deepObject", explode: true } : {}),
    schema: once(schema),
  }));
}

const sortParameter = (sorts: SortColumns<never>): JsonSchema => ({
  name: "sort",
  in: "query",
  required: false,
  description:
    "The column by which the list is sorted, from its highest value down with a dash before it; newest first unless given. " +
    "A cursor is of the order in which it was read.",
  schema: { type: "string", enum: sortNames(sorts) },
});

/** A parameter that may be repeated (the last one counts) is described as a single one. */
function once({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const choices = (anyOf ?? []) as JsonSchema[];
  return { ...choices.find((choice) => choice["type"] === "string"), ...rest };
}

function successes(endpoint: Endpoint, traits: ApiTraits, schemas: Schemas): JsonSchema {
  if (endpoint.kind === "download") return { 200: fileAnswer(endpoint.media, traits) };
  return Object.fromEntries(
    Object.entries(traits.replies(endpoint)).map(([status, reply]) => {
      const headers = {
        ...(traits.rateLimited ? rateHeaderReferences : {}),
        ...(takesKey(endpoint) ? { "Idempotent-Replayed": { $ref: "#/components/headers/Idempotent-Replayed" } } : {}),
      };
      const schema = schemaOf(reply, "output", schemas);
      return [
        status,
        {
          description: SUCCESS_WORDS[Number(status)] ?? "Done.",
          ...(Object.keys(headers).length > 0 ? { headers } : {}),
          content: { "application/json": { schema } },
        },
      ];
    }),
  );
}

/** A refusal; one that shows more than the error has a schema of its own. */
function refusalOf(endpoint: Endpoint, status: number, schemas: Schemas): JsonSchema {
  const shown = endpoint.kind === "download" ? undefined : endpoint.shown?.[status];
  const error = schemas.get("Error");
  if (!shown || !error) return refusalReference(status);
  const { properties } = schemaOf(shown, "output", schemas);
  const schema = { ...error, properties: { ...(error["properties"] as object), ...(properties as object) } };
  return { description: REFUSALS[status]?.when, content: { "application/json": { schema } } };
}

const fileAnswer = (media: string, traits: ApiTraits): JsonSchema => ({
  description: "The file, as an attachment.",
  ...(traits.rateLimited ? { headers: rateHeaderReferences } : {}),
  content: { [media]: { schema: { type: "string", format: "binary" } } },
});

function isList(endpoint: Endpoint): boolean {
  const reply = repliesOf(endpoint)[200];
  return reply instanceof z.ZodObject && reply.shape["data"] instanceof z.ZodArray;
}

/** Kinds of endpoints that may ask a gateway. */
const ASKS_OTHERS: readonly Endpoint["kind"][] = ["gateway", "run", "import"];

function refusalsOf(endpoint: Endpoint, traits: ApiTraits): number[] {
  const named = endpoint.path.includes("{");
  const changes = endpoint.method !== "GET";
  return [
    400,
    401,
    403,
    ...(named ? [404] : []),
    ...(takesKey(endpoint) || (changes && named) || (traits.edits && isEdit(endpoint)) ? [409] : []),
    ...(changes ? [413, 415] : []),
    ...(traits.rateLimited || endpoint.limited ? [429] : []),
    500,
    ...(changes && ASKS_OTHERS.includes(endpoint.kind) ? [502] : []),
    503,
  ];
}
