import { setTimeout as sleep } from "node:timers/promises";

/** A merchant's system gives a request half a minute, as the documentation advises. */
const TIMEOUT_MS = 30_000;
const RETRY_MS = 100;
const LONGEST_WAIT_S = 60;

/** An answer of the service, whole. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

/** Thrown by a call when the marathon ends. */
export class Stopped extends Error {}

/** What a merchant's system and its payers send. */
export interface Client {
  /** Calls the API until it is answered. `body` is JSON, or a form; null: none. */
  api(method: "GET" | "POST", path: string, body: string | FormData | null, key: string | null): Promise<Answer>;
  /** Opens a payer's page, submits its form, and chooses an outcome at the gateway; gives up where something is down. */
  pay(url: string, fields: Readonly<Record<string, string>>, outcome: Readonly<Record<string, string>>): Promise<void>;
}

export function openClient(base: string, apiKey: string, stopped: () => boolean): Client {
  const send = (path: string, init: RequestInit) =>
    fetch(`${base}${path}`, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const here = (address: string) => new URL(address, base).pathname + new URL(address, base).search;
  const submit = (address: string, form: Readonly<Record<string, string>>) =>
    send(here(address), { method: "POST", body: new URLSearchParams(form), headers: { origin: base } });
  return {
    async api(method, path, body, key) {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
        ...(key === null ? {} : { "idempotency-key": key }),
      };
      while (!stopped()) {
        try {
          const response = await send(`/api/v1${path}`, { method, headers, body });
          const text = await response.text();
          if (isAnswered(response))
            return { status: response.status, text, replayed: response.headers.get("idempotent-replayed") === "true" };
        } catch {
          // A process or what is before it is down.
        }
        await sleep(RETRY_MS);
      }
      throw new Stopped();
    },
    async pay(url, fields, outcome) {
      try {
        const page = await (await send(here(url), {})).text();
        const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
        const target = (await submit(url, { ...fields, formToken })).headers.get("location");
        if (target?.includes("/sandbox-gateway/")) await (await submit(target, outcome)).text();
      } catch {
        // A payer does not try again; what has begun is for the service to end.
      }
    },
  };
}

/** Not while the service is unavailable, or does what another request with this key or name has asked for. */
function isAnswered({ status, headers }: Response): boolean {
  if (status >= 500) return status === 502;
  // A customer's cards are charged a few times a day at most, for which nobody waits.
  if (status === 429) return Number(headers.get("retry-after") ?? 0) > LONGEST_WAIT_S;
  return !(status === 409 && headers.has("retry-after"));
}
