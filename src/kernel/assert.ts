/** Throws a plain Error (500 `internal_error`) when the program itself is wrong; never for bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`);
}

/** Makes a switch exhaustive: a new case without a branch does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
