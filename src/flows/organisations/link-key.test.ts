import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../platform/new-id.ts";
import { createSecrets, generateMasterKey } from "../../platform/secrets.ts";
import { linkKeyOf, newLinkKey } from "./link-key.ts";

test("the key that is kept for an organisation holds no memory but its own", () => {
  const secrets = createSecrets({ current: generateMasterKey(), previous: [] });
  const id = newId("org");
  const organisation = { id, tokenKeySealed: newLinkKey(secrets, id) };
  const key = linkKeyOf(secrets, organisation);
  assert.equal(key.length, 32);
  assert.equal(key.buffer.byteLength, key.length);
  assert.equal(linkKeyOf(secrets, organisation), key);
});
