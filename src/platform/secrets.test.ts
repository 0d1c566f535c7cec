import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { createSecrets, generateMasterKey } from "./secrets.ts";

const OLD = Buffer.alloc(32, 1).toString("base64");
const NEW = Buffer.alloc(32, 2).toString("base64");
const secrets = createSecrets({ current: OLD, previous: [] });
const context = { organisation: "org_a", column: "gateway_accounts.credentials" };

test("a sealed value opens again, and is different each time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), (plain, organisation, column) => {
      const sealed = secrets.seal(plain, { organisation, column });
      assert.equal(secrets.open(sealed, { organisation, column }), plain);
      assert.notEqual(secrets.seal(plain, { organisation, column }), sealed);
    }),
  );
});

test("every changed character makes it fail", () => {
  const sealed = secrets.seal("4111 1111 1111 1111", context);
  for (let at = 0; at < sealed.length; at++)
    for (const other of ["A", "B", "b", "0", "1", "_", "-", ".", "=", " ", ""]) {
      if (other === sealed[at]) continue;
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      assert.throws(() => secrets.open(changed, context), `character ${at} as ${JSON.stringify(other)}`);
    }
});

test("every flipped bit makes it fail", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat({ max: 7 }), (plain, place, bit) => {
      const [version, id, iv, body = ""] = secrets.seal(plain, context).split(".");
      const bytes = Buffer.from(body, "base64url");
      const at = place % bytes.length;
      bytes[at] = bytes[at]! ^ (1 << bit);
      assert.throws(() => secrets.open([version, id, iv, bytes.toString("base64url")].join("."), context));
    }),
  );
});

test("a value opens for its organisation and column only", () => {
  const sealed = secrets.seal("secret", { organisation: "org_a", column: "b" });
  for (const other of [
    { organisation: "org_b", column: "b" },
    { organisation: "org_a", column: "c" },
    { organisation: "org_a,b", column: "" },
    { organisation: "b", column: "org_a" },
  ])
    assert.throws(() => secrets.open(sealed, other), /belongs to another organisation or column/);
});

test("after a rotation the old key still opens and no longer seals", () => {
  const sealed = secrets.seal("secret", context);
  const rotated = createSecrets({ current: NEW, previous: [OLD] });
  assert.equal(rotated.open(sealed, context), "secret");
  assert.ok(!sealed.startsWith(rotated.currentPrefix));
  assert.ok(rotated.seal("secret", context).startsWith(rotated.currentPrefix));
  const without = createSecrets({ current: NEW, previous: [] });
  assert.throws(() => without.open(sealed, context), new RegExp(`${secrets.keyId}.*SECRET_KEY_PREVIOUS`));
});

test("derived keys differ by purpose and key, and stay reachable after a rotation", () => {
  const rotated = createSecrets({ current: NEW, previous: [OLD] });
  assert.equal(secrets.derive("form tokens").length, 32);
  assert.deepEqual(secrets.derive("form tokens"), secrets.derive("form tokens"));
  assert.notDeepEqual(secrets.derive("form tokens"), secrets.derive("eft links"));
  assert.deepEqual(rotated.deriveAll("form tokens"), [rotated.derive("form tokens"), secrets.derive("form tokens")]);
});

test("a value sealed by an earlier release still opens", () => {
  const sealed = "v1.64fb3bfa.OgQm_OOPSYrppcfy.x8vman3ZFRDdI5uNWKDPPFYQnDnbMhNCDkw";
  assert.equal(secrets.open(sealed, context), "whsec_kept");
});

const WRONG_KEYS: [string, string, RegExp][] = [
  ["empty", "", /44 characters.*it has 0 characters/],
  ["16 bytes", Buffer.alloc(16, 3).toString("base64"), /it has 24 characters/],
  ["33 bytes", Buffer.alloc(33, 3).toString("base64"), /it has 44 characters/],
  ["hex", Buffer.alloc(32, 3).toString("hex"), /it looks like hex/],
  ["a password", "correct horse battery staple, forty-four chars", /openssl rand -base64 32/],
  ["without its padding", Buffer.alloc(32, 3).toString("base64").replace("=", ""), /it has 43 characters/],
];
for (const [name, key, message] of WRONG_KEYS)
  test(`a key that is ${name} is refused without being quoted`, () => {
    assert.throws(
      () => createSecrets({ current: key, previous: [] }),
      (error: Error) => message.test(error.message) && (key === "" || !error.message.includes(key)),
    );
    assert.throws(() => createSecrets({ current: NEW, previous: [key] }), /SECRET_KEY_PREVIOUS/);
  });

test("a generated key is accepted, with the line end that a file adds", () => {
  assert.equal(createSecrets({ current: `${generateMasterKey()}\n`, previous: [] }).keyId.length, 8);
});
