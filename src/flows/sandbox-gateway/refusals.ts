import { ApiError, invalidField } from "../../kernel/errors.ts";
import type { Services } from "../services.ts";

/** The error 409: the reference is an idempotency key, and another record has it. */
export const referenceTaken = (): ApiError =>
  new ApiError("invalid_state", 409, "This reference stands for another payment.");

/**
 * Throws 400 for URLs outside of this service: this gateway serves its own service only, and must not make the server
 * call others.
 */
export function requireOwnUrls<Field extends string>(
  { baseUrl }: Pick<Services, "baseUrl">,
  request: Readonly<Record<Field, string>>,
  fields: readonly Field[],
): void {
  for (const field of fields)
    if (!request[field].startsWith(`${baseUrl}/`)) throw invalidField([field], `${field} must begin with ${baseUrl}/`);
}
