import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** Writes a generated file; with `compare` writes nothing, answers whether the file is current, and prints the command that updates it. */
export function putGenerated(path: string, text: string, compare: boolean, command: string): boolean {
  const full = join(ROOT, path);
  if (!compare) {
    writeFileSync(full, text);
    return true;
  }
  let current = "";
  try {
    current = readFileSync(full, "utf8");
  } catch {
    // A missing file counts as different.
  }
  if (current === text) return true;
  console.error(
    `${path} is not what the code says (first difference in line ${firstDifference(current, text)}). Run: ${command}`,
  );
  return false;
}

function firstDifference(left: string, right: string): number {
  const lines = right.split("\n");
  const index = left.split("\n").findIndex((line, at) => line !== lines[at]);
  return index === -1 ? left.split("\n").length : index + 1;
}
