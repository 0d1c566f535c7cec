import assert from "node:assert/strict";
import { test } from "node:test";
import type { Services } from "../../src/flows/services.ts";
import { endpoint } from "../../src/http/endpoint.ts";
import { type Api, mountEndpoints } from "../../src/http/mount.ts";
import { createServer } from "../../src/http/server.ts";
import { createLog } from "../../src/platform/log.ts";

test("an API mounts only endpoints of its audiences", async () => {
  const facts = {
    method: "GET",
    summary: "x",
    tag: { name: "x", about: "x" },
    permission: "settings:read",
    replies: {},
  } as const;
  const handle = async () => ({ status: 200, body: {} });
  const offered = [
    endpoint({ ...facts, audience: "clients", path: "/open", handle }),
    endpoint({ ...facts, audience: "staff", path: "/staff-only", handle }),
  ];
  const app = createServer(createLog("silent"), "http://localhost:8080");
  const api: Api = { prefix: "/api/v1", audiences: ["clients"], admit: () => Promise.reject(new Error("admitted")) };
  mountEndpoints(app, api, offered, { db: { replica: null } } as Services);
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode;
  assert.deepEqual([await statusOf("/api/v1/open"), await statusOf("/api/v1/staff-only")], [500, 404]);
});
