import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StandInProtocol } from "./stand-in.ts";

/** The stand-ins that there are: each folder here with a `stand-in.ts`, which exports it as `standIn`. */
export const STAND_INS: readonly StandInProtocol[] = await Promise.all(
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .map(({ name }) => join(import.meta.dirname, name, "stand-in.ts"))
    .filter(existsSync)
    .sort()
    .map(async (file) => ((await import(pathToFileURL(file).href)) as { standIn: StandInProtocol }).standIn),
);
