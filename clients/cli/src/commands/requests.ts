import { readFileSync } from "node:fs";
import { fieldsOf } from "../arguments.ts";
import { type Command, type Context, clientOf, word } from "../context.ts";

/** What `-d` says: fields, or a whole file of JSON. */
function dataOf({ typed }: Context): unknown {
  const given = typed.all("data");
  const [first = ""] = given;
  if (given.length === 1 && first.startsWith("@")) return JSON.parse(readFileSync(first.slice(1), "utf8"));
  return given.length === 0 ? undefined : fieldsOf(given);
}

function requestOf(method: "GET" | "POST" | "PATCH" | "DELETE", about: string): Command {
  const key = method === "POST" ? " [--idempotency-key KEY]" : "";
  return {
    name: method.toLowerCase(),
    usage: `PATH [-d field=value]… [-d @file.json]${key}`,
    about,
    async run(context) {
      const given = word(context, 1, "the path, such as /invoices");
      const path = `/${given.replace(/^(\/?api\/v1)?\//, "")}`;
      const data = dataOf(context);
      const idempotencyKey = context.typed.option("idempotency-key");
      const answer = await clientOf(context).request(method, path, {
        ...(data === undefined ? {} : method === "GET" ? { query: data as object } : { body: data }),
        ...(idempotencyKey === undefined ? {} : { options: { idempotencyKey }, keyed: true }),
      });
      context.print(JSON.stringify(answer, null, 2));
    },
  };
}

export const requests: readonly Command[] = [
  requestOf("GET", "Reads; -d are parameters of the query."),
  requestOf("POST", "Creates, or acts."),
  requestOf("PATCH", "Changes."),
  requestOf("DELETE", "Removes."),
];
