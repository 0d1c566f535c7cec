import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema } from "./json-schema.ts";

/** The client API's description as `npm run generate` wrote it: to make it again takes a hundred times as long. */
export function writtenDocument(): () => JsonSchema {
  let read: JsonSchema | null = null;
  return () => {
    read ??= JSON.parse(readFileSync(join(import.meta.dirname, "../../../openapi.json"), "utf8")) as JsonSchema;
    return read;
  };
}
