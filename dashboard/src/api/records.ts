import { type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiFailure } from "./failure.ts";

/** Reads one record. `key` begins with the list's path: `["/invoices", id]`. */
export const useRecord = <T>(key: QueryKey, read: () => Promise<T>, wanted = true) =>
  useQuery({ queryKey: key, queryFn: read, enabled: wanted });

/** Answers the Idempotency-Key for a body (decisions.md#one-key-per-body). */
export type KeyFor = (body: unknown) => string;

/**
 * The Idempotency-Keys of one form or dialog: the same body has the same key until it is refused, so that a second
 * click, or a second try after a lost answer, has no further effect.
 */
function useKeys(): { keyFor: KeyFor; forget(): void } {
  const last = useRef<{ body: string; key: string } | null>(null);
  return {
    keyFor(body) {
      const text = JSON.stringify(body) ?? "";
      if (last.current?.body !== text) last.current = { body: text, key: crypto.randomUUID() };
      return last.current.key;
    },
    forget() {
      last.current = null;
    },
  };
}

/**
 * A change: `send` gets the values and a `KeyFor`. Afterwards `done` is called, even when the form is no longer shown,
 * and everything that `touches` names, such as `["/invoices"]`, is read again, and with it the home page's figures, the
 * timelines, the names of records and their relations.
 */
export function useChange<Values, Result>(
  send: (values: Values, keyFor: KeyFor) => Promise<Result>,
  touches: readonly string[],
  done?: (result: Result) => void,
) {
  const cache = useQueryClient();
  const keys = useKeys();
  return useMutation({
    mutationFn: (values: Values) => send(values, keys.keyFor),
    onSuccess: (result) => {
      keys.forget();
      done?.(result);
      return Promise.all(
        [...touches, "/overview", "/timeline", "/record-names", "/related-records"].map((path) =>
          cache.invalidateQueries({ queryKey: [path] }),
        ),
      );
    },
    onError: (error) => {
      // A refusal is stored under its key; a request without a clear answer is sent again under the same key.
      if (error instanceof ApiFailure && error.status >= 400 && error.status < 500) keys.forget();
    },
  });
}
