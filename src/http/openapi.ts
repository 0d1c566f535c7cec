import type { EventDeclaration } from "../events/event.ts";
import { type Endpoint, repliesOf, takesKey } from "./endpoint.ts";
import { DASHBOARD_ERROR_SCHEMA, ERROR_SCHEMA, RATE_HEADERS, refusalComponents } from "./openapi/answers.ts";
import { type JsonSchema, type Schemas, schemaOf } from "./openapi/json-schema.ts";
import { openPaths, SIGNING_IN } from "./openapi/open-paths.ts";
import { type ApiTraits, operationOf } from "./openapi/operation.ts";
import { CLIENT_TEXT, DASHBOARD_TEXT } from "./openapi/prose.ts";

/** Version of the description (interface 9.4). */
const DESCRIPTION_VERSION = "1.8.1";
/** The name of the session's cookie; behind https it has the prefix `__Host-`. */
const SESSION_COOKIE = "tefo.session_token";

interface Api {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
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
    info: { title: "Tefo API", version: DESCRIPTION_VERSION, description: CLIENT_TEXT },
    prefix: "/api/v1",
    security: { apiKey: { type: "http", scheme: "bearer", description: "An API key: `tefo_…`." } },
    traits: {
      rateLimited: true,
      edits: false,
      paged: false,
      replies: repliesOf,
      permission: ({ keyPermission }) => (keyPermission ? `The key needs the permission \`${keyPermission}\`.` : null),
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
      paged: true,
      replies: (endpoint) => (endpoint.kind === "download" ? {} : (endpoint.staffReplies ?? endpoint.replies)),
      permission: ({ permission }) => `Needs the permission \`${permission}\`.`,
    },
    open: openPaths,
  });

function documentOf(endpoints: readonly Endpoint[], api: Api): JsonSchema {
  const schemas: Schemas = new Map([["Error", api.traits.edits ? DASHBOARD_ERROR_SCHEMA : ERROR_SCHEMA]]);
  const refused = new Set<number>();
  const paths: Record<string, JsonSchema> = api.open?.(schemas, refused) ?? {};
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, api.traits, schemas, refused);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation };
  }
  const webhooks = api.events && webhooksOf(api.events, schemas);
  const tags = new Map(
    [...(api.open ? [SIGNING_IN] : []), ...endpoints.map(({ tag }) => tag)].map((tag) => [tag.name, tag]),
  );
  return {
    openapi: "3.1.0",
    info: { ...api.info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: api.prefix, description: "This server." }],
    security: Object.keys(api.security).map((name) => ({ [name]: [] })),
    tags: [...tags.values()].map(({ name, about }) => ({ name, description: about })),
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: {
      securitySchemes: api.security,
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
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
  return Object.fromEntries(
    events.map(({ name, about, data }) => {
      const envelope = {
        type: "object",
        required: ["id", "type", "created", "data"],
        properties: {
          id: { type: "string", description: "The same in every attempt.", pattern: "^evt_[0-9a-f]+$" },
          type: { type: "string", const: name },
          created: { type: "string", format: "date-time" },
          data: { ...schemaOf(data, "output", schemas), description: about },
        },
      };
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
