import { jobs } from "../../src/platform/thread-jobs.ts";

/* A client in a thread of its own, for tests that measure what the service's thread does. */

/** Text that is sent as a file: `head`, then `fill` until it has as many bytes. */
export interface SentFile {
  readonly name: string;
  readonly head: string;
  readonly fill: string;
  readonly bytes: number;
  readonly end: string;
}

/** A request of a client. */
export interface Visit {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form instead, in the field `file`, with these other fields. */
  readonly file?: SentFile & { readonly fields?: Readonly<Record<string, string>> };
}

/** The answer to a request; of its body only the length. */
export interface Visited {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly bytes: number;
}

const textOf = ({ head, fill, bytes, end }: SentFile): string =>
  head + fill.repeat(Math.max(0, Math.floor((bytes - head.length - end.length) / fill.length))) + end;

function bodyOf({ body, file }: Visit): { body?: string | FormData; headers: Record<string, string> } {
  if (file) {
    const form = new FormData();
    for (const [name, value] of Object.entries(file.fields ?? {})) form.append(name, value);
    form.append("file", new Blob([Buffer.from(textOf(file), "latin1")]), file.name);
    return { body: form, headers: {} };
  }
  return body === undefined
    ? { headers: {} }
    : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

async function visit(one: Visit): Promise<Visited> {
  const { body, headers } = bodyOf(one);
  const answer = await fetch(one.url, {
    method: one.method,
    headers: { ...headers, ...one.headers },
    ...(body === undefined ? {} : { body }),
  });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.byteLength;
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), bytes };
}

/** Sends the requests, all at once. */
export const perform = jobs((visits: readonly Visit[]): Promise<Visited[]> => Promise.all(visits.map(visit)));
