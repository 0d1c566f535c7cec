import assert from "node:assert/strict";
import { freePort } from "../../src/app/listen.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { serve, type Test } from "./processes.ts";

/** A service with its demo organisation. */
export interface Demo {
  /** POST below `/api/v1`, with the demo's key or another. */
  call(path: string, body: object, key?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Opens a hosted page, by its address or path. */
  open(address: string): Promise<string>;
  /** Posts a form of a hosted page; answers where it leads. */
  press(address: string, fields: Readonly<Record<string, string>>): Promise<string>;
  /** For the command line, on the same database. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the service and answers all that it has written. */
  output(): Promise<string>;
}

/** Starts the service in a process of its own, at the finest log level. */
export async function serveDemo(t: Test): Promise<Demo> {
  const port = String(await freePort("127.0.0.1"));
  const environment = { PORT: port, DATABASE_URL: (await cloneDatabase()).url, SECRET_KEY: generateMasterKey() };
  const service = serve(t, { ...environment, LOG_LEVEL: "trace" });
  const demoKey = (await service.says(/API key +(tefo_\S+)/))[1];
  await service.says(/"msg":"ready"/);
  const base = `http://127.0.0.1:${port}`;
  const here = (address: string) => new URL(new URL(address, base).pathname, base);
  return {
    environment,
    async call(path, body, key = demoKey) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(`${base}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    async open(address) {
      return (await fetch(here(address))).text();
    },
    async press(address, fields) {
      const form = { method: "POST", redirect: "manual", headers: { origin: base } } as const;
      const answer = await fetch(here(address), { ...form, body: new URLSearchParams(fields) });
      assert.equal(answer.status, 303, await answer.text());
      return String(answer.headers.get("location"));
    },
    async output() {
      service.child.kill("SIGTERM");
      assert.equal(await service.ended(), 0);
      assert.match(service.output(), /"msg":"ready"/);
      return service.output();
    },
  };
}
