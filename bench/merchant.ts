import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchServer } from "./server.ts";
import { ROOT } from "./service.ts";

/** An organisation made by the operator's command line, with calls as its owner. */
export interface Merchant {
  readonly apiKey: string;
  readonly id: string;
  /** Of the owner, for a browser. */
  readonly owner: { readonly email: string; readonly password: string };
  /** Calls the client API; answers the body. Throws on a refusal. */
  api(baseUrl: string, method: string, path: string, body?: object): Promise<unknown>;
  /** Calls the dashboard's API, signed in. */
  dashboard(baseUrl: string, method: string, path: string, body?: object): Promise<unknown>;
  /** Posts a form to the dashboard's API. */
  upload(baseUrl: string, path: string, form: FormData): Promise<unknown>;
}

const run = promisify(execFile);

/**
 * A sandbox organisation without limits: its webhooks may go to this machine. Made by the version in the folder `root`,
 * which migrates the database.
 */
export async function newMerchant(server: BenchServer, url: string, root = ROOT): Promise<Merchant> {
  const slug = `bench-${randomBytes(6).toString("hex")}`;
  const tefo = async (...args: string[]) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      DATABASE_URL: url,
      SECRET_KEY: server.secretKey,
    };
    return (await run(process.execPath, [join(root, "src/bin/tefo.ts"), ...args, "--json"], { env })).stdout;
  };
  const owner = ["--owner-email", `${slug}@bench.example`, "--owner-password", randomBytes(12).toString("hex")];
  const made = await tefo(
    "org",
    "create",
    "--name",
    slug,
    "--slug",
    slug,
    "--plan",
    "enterprise",
    "--sandbox",
    ...owner,
  );
  await tefo("org", "update", slug, "--status", "active", "--rate-limit", "100000000");
  const {
    apiKey,
    organisation,
    owner: account,
  } = JSON.parse(made) as {
    apiKey: string;
    organisation: { id: string };
    owner: { email: string; password?: string };
  };
  const password = account.password ?? owner.at(-1) ?? "";
  let cookie: Promise<string> | null = null;
  return {
    apiKey,
    id: organisation.id,
    owner: { email: account.email, password },
    api: (baseUrl, method, path, body) =>
      call(`${baseUrl}/api/v1${path}`, method, { authorization: `Bearer ${apiKey}` }, body),
    async dashboard(baseUrl, method, path, body) {
      cookie ??= signIn(baseUrl, account.email, password);
      return call(`${baseUrl}/dashboard/api${path}`, method, { cookie: await cookie }, body);
    },
    async upload(baseUrl, path, form) {
      cookie ??= signIn(baseUrl, account.email, password);
      return call(`${baseUrl}/dashboard/api${path}`, "POST", { cookie: await cookie }, form);
    },
  };
}

/** The session's cookie, valid for every process of the service. */
async function signIn(baseUrl: string, email: string, password: string): Promise<string> {
  const response = await fetch(`${baseUrl}/dashboard/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`signing in answers ${response.status}: ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function call(url: string, method: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: body && !(body instanceof FormData) ? { ...headers, "content-type": "application/json" } : headers,
    ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answers ${response.status}: ${text.slice(0, 600)}`);
  return text === "" ? null : JSON.parse(text);
}
