import type { JsonSchema } from "../openapi/json-schema.ts";
import { REFERENCE } from "../openapi/json-schema.ts";
import { type Components, exampleOf } from "./example.ts";
import type { Page } from "./page.ts";

const WEBHOOKS = "/docs/guides/webhooks";
/** What makes the subject of most records: a payment has a reference, others an id. */
const SUBJECTS = ["reference", "id", "endpointId"];

/** A row of the guide's table of events. */
interface Row {
  readonly names: readonly string[];
  readonly when: string;
}

/**
 * The pages of events: an index, and one for each type that the table of the guide has (a test holds it complete), made
 * from that table and from the webhooks of the description, which `document` gives.
 */
export function eventPages(document: () => JsonSchema, guide: string): Page[] {
  const rows = rowsOf(guide);
  const names = [...rows.keys()];
  return [
    { path: "/docs/events", section: "API", markdown: () => index(names, rows) },
    ...names.map(
      (name): Page => ({
        path: `/docs/events/${name}`,
        section: "API",
        markdown() {
          const webhooks = document()["webhooks"] as Readonly<Record<string, { readonly post: JsonSchema }>>;
          const { schemas } = document()["components"] as { readonly schemas: Components };
          return pageOf(name, webhooks[name]?.post ?? {}, rows.get(name), schemas);
        },
        below: true,
      }),
    ),
  ];
}

function rowsOf(guide: string): ReadonlyMap<string, Row> {
  const table = (guide.split("\n## Events\n")[1] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    table.flatMap((line) => {
      const [, first = "", when = ""] = line.split("|");
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      return names.map((name) => [name, { names, when: when.trim() }] as const);
    }),
  );
}

const index = (names: readonly string[], rows: ReadonlyMap<string, Row>): string => `# Events

Each event is posted to your [webhook endpoints](${WEBHOOKS}) that take its type, and listed by \`GET /api/v1/events\`. Its page
shows when it is sent and what its body holds.

| event | sent when |
| --- | --- |
${names.map((name) => `| [\`${name}\`](/docs/events/${name}) | ${rows.get(name)?.when ?? ""} |`).join("\n")}
`;

function pageOf(name: string, post: JsonSchema, row: Row | undefined, components: Components): string {
  const content = (post["requestBody"] as { content: Record<string, { schema: JsonSchema }> }).content;
  const envelope = content["application/json"]?.schema ?? {};
  const properties = envelope["properties"] as Record<string, JsonSchema>;
  return `# ${name}

${whenOf(name, row)}

\`data\`: ${lowered(String(post["description"]))}

## Example

\`\`\`json
${JSON.stringify(bodyOf(name, envelope, components), null, 2)}
\`\`\`

The values are made up. Fields that are null for most records have one here; those that only some records have are left out.

## Fields of data

${fieldsOf(properties["data"] ?? {}, components)}

## Receive it

[Webhooks](${WEBHOOKS}) says how to add an endpoint, verify the signature and answer. To see one on your own machine, run \`tefo
listen\` and make it happen in a sandbox; \`tefo trigger\` lists the events that it makes happen for you ([command
line](/docs/guides/command-line#events-on-your-own-machine)).
`;
}

function whenOf(name: string, row: Row | undefined): string {
  if (!row) return "Sent to webhook endpoints.";
  if (row.names.length === 1) return `Sent when ${row.when}.`;
  const all = row.names.map((it) => (it === name ? `\`${it}\`` : `[\`${it}\`](/docs/events/${it})`)).join(", ");
  return `Sent when ${row.when}: ${all}, in this order.`;
}

const lowered = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

function bodyOf(name: string, envelope: JsonSchema, components: Components): unknown {
  const body = exampleOf(envelope, { components, sparse: true, status: name.split(".").at(-1) ?? "" }) as Record<
    string,
    unknown
  >;
  const data = body["data"] as Record<string, unknown>;
  const subject = SUBJECTS.map((field) => data[field]).find((value) => typeof value === "string");
  return subject === undefined ? body : { ...body, subject };
}

function fieldsOf(schema: JsonSchema, components: Components): string {
  const { properties = {} } = expanded(schema, components) as { properties?: Record<string, JsonSchema> };
  const rows = Object.entries(properties).map(
    ([field, property]) => `| \`${field}\` | ${typeOf(property, components)} | ${cell(wordsOf(property))} |`,
  );
  return `| field | type | |\n| --- | --- | --- |\n${rows.join("\n")}`;
}

const expanded = (schema: JsonSchema, components: Components): JsonSchema => {
  const reference = schema["$ref"];
  return typeof reference === "string" ? (components[reference.slice(REFERENCE.length)] ?? {}) : schema;
};

const wordsOf = (schema: JsonSchema): string => String(schema["description"] ?? "");
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A type in a word or two: `text`, `object or null`. */
function typeOf(property: JsonSchema, components: Components): string {
  const choices = (property["anyOf"] ?? property["oneOf"]) as JsonSchema[] | undefined;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, components)))].join(" or ");
  const schema = expanded(property, components);
  if (schema !== property) return typeOf(schema, components);
  const types = [schema["type"] ?? ("const" in schema ? typeof schema["const"] : "any")].flat();
  return types
    .map((type) => (schema["format"] === undefined || type !== "string" ? String(type) : String(schema["format"])))
    .join(" or ");
}
