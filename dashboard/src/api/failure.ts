import type { ChangedField } from "../lib/edits.ts";
import { faultSentence, fieldWords } from "../lib/refusals.ts";

/** A field that the API refused: where it is in the body, such as `lines.0.quantity`, and what to change. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

interface Refusal {
  readonly error?: string;
  readonly message?: string;
  readonly changed?: readonly ChangedField[];
  readonly issues?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

/** A request that was refused or did not arrive. `status` is 0 when no answer came. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly FieldFault[];
  /** With `record_changed`: the fields that were changed in the meantime. */
  readonly changed: readonly ChangedField[];
  readonly requestId: string | null;

  constructor(status: number, refusal: Refusal, requestId: string | null) {
    super(refusal.message ?? "Something went wrong. Try again.");
    this.status = status;
    this.code = refusal.error ?? "unknown";
    this.faults = (refusal.issues ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
    this.changed = refusal.changed ?? [];
    this.requestId = requestId;
  }
}

/** The failure of an answer that is no success. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const refusal = await response
    .clone()
    .json()
    .then((body: unknown) => (typeof body === "object" && body !== null ? (body as Refusal) : {}))
    .catch(() => ({}));
  return new ApiFailure(response.status, refusal, response.headers.get("x-request-id"));
}

/** The refused fields, each as a sentence; `labelOf` gives a field's label. Empty for an error about no field. */
export const faultsOf = (error: unknown, labelOf: (path: string) => string = fieldWords): readonly string[] =>
  error instanceof ApiFailure ? error.faults.map(({ path, message }) => faultSentence(labelOf(path), message)) : [];

/** The message about an error of any kind, for people. */
export function messageOf(error: unknown): string {
  const faults = faultsOf(error);
  if (faults.length > 0) return faults.join(" ");
  return error instanceof Error ? error.message : "Something went wrong. Try again.";
}
