import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { hashPassword, verifyPassword } from "./passwords.ts";

test("a hash contains its cost and a salt, and matches only its password", async () => {
  const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, other);
  assert.equal(await verifyPassword(one, "correct horse"), true);
  assert.equal(await verifyPassword(other, "correct horse"), true);
  assert.equal(await verifyPassword(one, "correct horse "), false);
  assert.equal(await verifyPassword(one, ""), false);
});

test("a hash of another cost still matches", async () => {
  const salt = Buffer.alloc(16, 7);
  const tag = argon2Sync("argon2id", {
    message: "old",
    nonce: salt,
    memory: 8192,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  assert.equal(await verifyPassword(`$argon2id$v=19$m=8192,t=1,p=1$${text(salt)}$${text(tag)}`, "old"), true);
});

test("a password composed in another way is the same password", async () => {
  assert.equal(await verifyPassword(await hashPassword("caf\u00e9 au lait"), "cafe\u0301 au lait"), true);
});

for (const stored of ["", "plain", "$argon2i$v=19$m=8192,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8192,t=1,p=1$$"])
  test(`${stored || "an empty text"} is not a hash and matches nothing`, async () => {
    assert.equal(await verifyPassword(stored, "plain"), false);
  });
