import { z } from "zod";
import { API_VERSION, type EventDeclaration } from "../events/event.ts";
import { envelope as eventEnvelope } from "../modules/events/schema.ts";
import { type Endpoint, permissionsOf, repliesOf, takesKey } from "./endpoint.ts";
import { scopesOf } from "./key-scopes.ts";
import { DASHBOARD_ERROR_SCHEMA, ERROR_SCHEMA, RATE_HEADERS, refusalComponents } from "./openapi/answers.ts";
import { nameBodies, shareShapes } from "./openapi/components.ts";
import { withRelations } from "./openapi/expanded.ts";
import { type JsonSchema, type Schemas, schemaOf } from "./openapi/json-schema.ts";
import { openPaths, SIGNING_IN } from "./openapi/open-paths.ts";
import { type ApiTraits, operationOf } from "./openapi/operation.ts";
import { CLIENT_TEXT, DASHBOARD_TEXT } from "./openapi/prose.ts";
import { SHAPES } from "./openapi/shapes.ts";
import { withWords } from "./openapi/words/words.ts";

/** Version of the description (interface 9.4). */
const DESCRIPTION_VERSION = "1.8.1";
/** The name of the session's cookie; behind https it has the prefix `__Host-`. */
const SESSION_COOKIE = "tefo.session_token";

interface Api {
  readonly info: Readonly<Record<"title" | "version" | "description", string>> & { readonly "x-api-version"?: string };
  readonly prefix: string;
  readonly security: Readonly<Record<string, JsonSchema>>;
  readonly traits: ApiTraits;
  /** Operations without authentication; adds the statuses of their refusals to the set. */
  readonly open?: (schemas: Schemas, refused: Set<number>) => Record<string, JsonSchema>;
  /** Events that are sent to webhook endpoints. */
  readonly events?: readonly EventDeclaration[];
}

/** The client API as an OpenAPI 3.1 document (interface 11.2). */
export const clientDocument = (endpoints: readonly Endpoint[], events: readonly EventDeclaration[]): JsonSchema =>
  documentOf(endpoints, {
    info: { title: "Tefo API", version: DESCRIPTION_VERSION, "x-api-version": API_VERSION, description: CLIENT_TEXT },
    prefix: "/api/v1",
    security: { apiKey: { type: "http", scheme: "bearer", description: "An API key: `tefo_…`." } },
    traits: {
      rateLimited: true,
      edits: false,
      sorts: false,
      replies: repliesOf,
      permission: (endpoint) => {
        const scopes = scopesOf(endpoint).map((scope) => `\`${scope}\``);
        const needs = [
          scopes.length > 0 && `A key with scopes needs ${scopes.join(" or ")}.`,
          endpoint.keyPermission && `The key needs the permission \`${endpoint.keyPermission}\`.`,
        ].filter(Boolean);
        return needs.length > 0 ? needs.join(" ") : null;
      },
    },
    events,
  });

/** The dashboard's API as an OpenAPI 3.1 document (interface 14). */
export const dashboardDocument = (endpoints: readonly Endpoint[]): JsonSchema =>
  documentOf(endpoints, {
    info: { title: "Tefo dashboard API", version: DESCRIPTION_VERSION, description: DASHBOARD_TEXT },
    prefix: "/dashboard/api",
    security: {
      session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE, description: "Set by signing in." },
    },
    traits: {
      rateLimited: false,
      edits: true,
      sorts: true,
      replies: (endpoint) => (endpoint.kind === "download" ? {} : (endpoint.staffReplies ?? endpoint.replies)),
      permission: (endpoint) => {
        const names = permissionsOf(endpoint).map((permission) => `\`${permission}\``);
        return names.length === 1
          ? `Needs the permission ${names[0]}.`
          : `Needs the permissions ${names.join(" and ")}.`;
      },
    },
    open: openPaths,
  });

function documentOf(endpoints: readonly Endpoint[], api: Api): JsonSchema {
  const schemas: Schemas = new Map([["Error", api.traits.edits ? DASHBOARD_ERROR_SCHEMA : ERROR_SCHEMA]]);
  const refused = new Set<number>();
  const paths: Record<string, JsonSchema> = api.open?.(schemas, refused) ?? {};
  for (const endpoint of endpoints) {
    const operation = nameBodies(operationOf(endpoint, api.traits, schemas, refused), schemas);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation };
  }
  const webhooks = api.events && webhooksOf(api.events, schemas);
  const shared = shareShapes({ paths, ...(webhooks ? { webhooks } : {}) }, schemas, SHAPES);
  const tags = new Map(
    [...(api.open ? [SIGNING_IN] : []), ...endpoints.map(({ tag }) => tag)].map((tag) => [tag.name, tag]),
  );
  const described = Object.fromEntries(
    [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => [name, withWords(schema, name)]),
  );
  return {
    openapi: "3.1.0",
    info: { ...api.info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: api.prefix, description: "This server." }],
    security: Object.keys(api.security).map((name) => ({ [name]: [] })),
    tags: [...tags.values()].map(({ name, about }) => ({ name, description: about })),
    ...shared,
    components: {
      securitySchemes: api.security,
      schemas: withRelations(described, endpoints, api.traits.edits),
      responses: refusalComponents(refused, api.traits.rateLimited),
      ...sharedBy(endpoints, api.traits),
    },
  };
}

function sharedBy(endpoints: readonly Endpoint[], traits: ApiTraits): JsonSchema {
  const idempotent = endpoints.some(takesKey);
  const headers = {
    ...(traits.rateLimited ? RATE_HEADERS : {}),
    ...(idempotent
      ? {
          "Idempotent-Replayed": {
            description: "`true` with a stored answer.",
            schema: { type: "string", enum: ["true"] },
          },
        }
      : {}),
  };
  const key = {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "At most 200 characters. Makes it safe to send the request again for 24 hours.",
    schema: { type: "string", maxLength: 200 },
  };
  return {
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(idempotent ? { parameters: { IdempotencyKey: key } } : {}),
  };
}

/** The `webhooks` part of the document (interface 6). */
function webhooksOf(events: readonly EventDeclaration[], schemas: Schemas): Record<string, JsonSchema> {
  const common = schemaOf(z.object(eventEnvelope), "output", schemas)["properties"] as JsonSchema;
  return Object.fromEntries(
    events.map(({ name, about, data }) => {
      const { id, ...rest } = common;
      const properties = {
        id,
        type: { type: "string", const: name },
        ...rest,
        data: { ...schemaOf(data, "output", schemas), description: about },
      };
      const envelope = withWords({ type: "object", required: Object.keys(properties), properties }, "Event");
      return [
        name,
        {
          post: {
            operationId: `on${name.replaceAll(/(^|[._])(\w)/g, (_match, _dot, letter: string) => letter.toUpperCase())}`,
            summary: name,
            description: about,
            security: [],
            requestBody: { required: true, content: { "application/json": { schema: envelope } } },
            responses: {
              "2XX": { description: "Received." },
              "410": { description: "The endpoint is gone: it is disabled." },
            },
          },
        },
      ];
    }),
  );
}
