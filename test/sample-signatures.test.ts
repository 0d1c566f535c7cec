import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { delivered, eventOf, nowSeconds, SECRET } from "../clients/typescript/test/deliveries.ts";
import { newWebhookSecret } from "../src/platform/webhook-signing.ts";
import { temporaryFolder } from "./support/processes.ts";
import { lackingPrograms } from "./support/sample-reader.ts";
import { fileOf, stepsOf } from "./support/samples.ts";
import { ROOT } from "./support/source.ts";

/* The functions that docs/integrators/webhooks.md shows for each language, called with what is signed and what is not. */

const OTHER = newWebhookSecret();
const given = delivered(eventOf("inv_1", 1));
const forged = { ...given, body: given.body.replace("inv_1", "inv_2") };
const bytes = delivered({ ...eventOf("inv_1", 1), data: { note: "a  b é 👋" } as never });

/** Deliveries, whether they are signed with SECRET, and what they are. */
const DELIVERIES = [
  ["as it is sent", given, SECRET, true],
  ["with text of all kinds", bytes, SECRET, true],
  ["while the secret is rotated", delivered(eventOf("inv_1", 1), [OTHER, SECRET]), SECRET, true],
  ["with another secret", given, OTHER, false],
  ["of another body", forged, SECRET, false],
  ["310 seconds ago", delivered(eventOf("inv_1", 1), [SECRET], nowSeconds() - 310), SECRET, false],
  ["in 310 seconds", delivered(eventOf("inv_1", 1), [SECRET], nowSeconds() + 310), SECRET, false],
  ["without headers", { body: given.body, headers: {} }, SECRET, false],
  [
    "with headers of nonsense",
    {
      body: given.body,
      headers: {
        "service-signature": "t=é,v1=zz,v1=",
        "webhook-id": "x",
        "webhook-timestamp": "٣",
        "webhook-signature": "v1, v1,=é",
      },
    },
    SECRET,
    false,
  ],
] as const;

/** Programs that print by lines, for each delivery of stdin, what both functions say. */
const DRIVERS: Readonly<Record<string, { readonly command: string; readonly file: string; readonly code: string }>> = {
  TypeScript: {
    command: process.execPath,
    file: "driver.ts",
    code: `import { isFromTefo } from "./is-from-tefo.ts";
import { isStandardWebhook } from "./is-standard-webhook.ts";
import { readFileSync } from "node:fs";
for (const { headers, body, secret } of JSON.parse(readFileSync(0, "utf8")))
  console.log(isFromTefo(headers["service-signature"], body, secret), isStandardWebhook(headers, Buffer.from(body), secret));`,
  },
  Python: {
    command: "python3",
    file: "driver.py",
    code: `import json, sys
from is_from_tefo import is_from_tefo
from is_standard_webhook import is_standard_webhook
for one in json.load(sys.stdin):
    headers, body = one["headers"], one["body"].encode()
    said = is_from_tefo(headers.get("service-signature"), body, one["secret"]), is_standard_webhook(headers, body, one["secret"])
    print(*(str(answer).lower() for answer in said))`,
  },
  PHP: {
    command: "php",
    file: "driver.php",
    code: `<?php
require 'is-from-tefo.php';
require 'is-standard-webhook.php';
foreach (json_decode(file_get_contents('php://stdin'), true) as $one) {
    $headers = $one['headers'];
    $said = [
        isFromTefo($headers['service-signature'] ?? '', $one['body'], $one['secret']),
        isStandardWebhook(...array_map(
            fn ($name) => $headers[$name] ?? '',
            ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        ), rawBody: $one['body'], secret: $one['secret']),
    ];
    echo implode(' ', array_map(json_encode(...), $said)), "\\n";
}`,
  },
};

for (const [language, { command, file, code }] of Object.entries(DRIVERS))
  test(`the page's functions in ${language} accept what is signed, and nothing else`, async (t) => {
    if (lackingPrograms().includes(command)) return t.diagnostic(`left out: this machine has no ${command}`);
    const folder = await temporaryFolder(t);
    const page = readFileSync(join(ROOT, "docs/integrators/webhooks.md"), "utf8");
    for (const step of stepsOf(page)) {
      const name = step.kind === "sample" ? fileOf(step) : null;
      if (step.kind === "sample" && name !== null) writeFileSync(join(folder, name), step.text);
    }
    writeFileSync(join(folder, file), code);
    const input = JSON.stringify(DELIVERIES.map(([, delivery, secret]) => ({ ...lowercased(delivery), secret })));
    const { stdout, stderr } = spawnSync(command, [file], {
      cwd: folder,
      input,
      encoding: "utf8",
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    });
    assert.deepEqual(
      stdout.trim().split("\n"),
      DELIVERIES.map(([, , , isSigned]) => `${isSigned} ${isSigned}`),
      stderr,
    );
  });

const lowercased = ({ body, headers }: { body: string; headers: object }) => ({
  body,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
});
