import assert from "node:assert/strict";
import { test } from "node:test";
import type { Services } from "../../src/flows/services.ts";
import { gatewayEndpoint } from "../../src/http/endpoint.ts";
import { mountEndpoints } from "../../src/http/mount.ts";
import { createServer } from "../../src/http/server.ts";
import { createLog } from "../../src/platform/log.ts";

test("an endpoint that opens its own transactions cannot promise an Idempotency-Key: nothing would claim it", () => {
  const wrong = gatewayEndpoint({
    method: "POST",
    path: "/x",
    summary: "x",
    tag: "x",
    permission: "settings:read",
    idempotent: true,
    replies: {},
    run: async () => ({ status: 200, body: {} }),
  });
  const door = { prefix: "/api/v1", admit: () => Promise.reject(new Error("not asked")) };
  assert.throws(
    () => mountEndpoints(createServer(createLog("silent")), door, [wrong], {} as Services),
    /Idempotency-Key/,
  );
});
