import assert from "node:assert/strict";
import { parseSource, type Source } from "./source.ts";
import type { Finding } from "./tidy-imports.ts";

/** Sources from texts, to test what a rule finds. */
export const tree = (files: Readonly<Record<string, string>>): Source[] =>
  Object.entries(files).map(([path, text]) => parseSource(path, text));

/** The place of each finding: `file:line`. */
export const where = (findings: readonly Finding[]): string[] => findings.map(({ file, line }) => `${file}:${line}`);

/** The store of a module. */
export const store = (module: string, text: string): Source[] => tree({ [`src/modules/${module}/store.ts`]: text });

/** Code that sends a statement. */
export const statement = (sql: string): string => `const rows = await tx.sql<Row>\`${sql}\`;`;

/** Fails with one line for each finding: where it is and what to do. */
export function refuse(findings: readonly Finding[]): void {
  if (findings.length > 0) assert.fail(findings.map(({ file, line, mend }) => `\n  ${file}:${line} ${mend}`).join(""));
}
