import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { canonicalAddress, isLoopback, isPublicAddress, networkOf } from "./addresses.ts";

/** The first and last address of every block, and the public addresses next to them. */
const ADDRESSES = `
  public      1.1.1.1  8.8.8.8  9.255.255.255  11.0.0.0  100.63.255.255  100.128.0.0  126.255.255.255  128.0.0.0
  public      169.253.255.255  169.255.0.0  172.15.255.255  172.32.0.0  192.0.1.0  192.0.3.0  192.167.255.255  192.169.0.0
  public      198.17.255.255  198.20.0.0  198.51.99.255  198.51.101.0  203.0.112.255  203.0.114.0  223.255.255.255
  this        0.0.0.0  0.255.255.255
  private     10.0.0.0  10.255.255.255  172.16.0.0  172.31.255.255  192.168.0.0  192.168.255.255
  cgnat       100.64.0.0  100.127.255.255
  loopback    127.0.0.0  127.0.0.1  127.255.255.255
  link-local  169.254.0.0  169.254.169.254  169.254.255.255
  assigned    192.0.0.0  192.0.0.255  192.88.99.1
  docs        192.0.2.1  198.51.100.1  203.0.113.255
  benchmark   198.18.0.0  198.19.255.255
  multicast   224.0.0.0  239.255.255.255
  reserved    240.0.0.0  255.255.255.254  255.255.255.255
  public      2606:4700:4700::1111  2001:4860:4860::8888  2a00::1  2001:200::1  2001:db9::1  3ffe::1  2000::
  v6          ::  ::1  ::2  ::7f00:1  fc00::1  fdff::1  fe80::1  fe80::1%eth0  fec0::1  ff02::1  100::1  5f00::1  4000::1
  v6          2001::1  2001:2::1  2001:10::1  2001:1ff::1  2001:db8::1  3fff::1  3fff:fff::1  64:ff9b:1::a00:1
  mapped      ::ffff:127.0.0.1  ::ffff:7f00:1  ::ffff:10.0.0.1  0:0:0:0:0:ffff:a9fe:a9fe  ::FFFF:192.168.0.1
  nat64       64:ff9b::127.0.0.1  64:ff9b::a00:1  64:ff9b::a9fe:a9fe
  6to4        2002:7f00:1::  2002:a00:1::1  2002:c0a8:1:1::1  2002:a9fe:a9fe::
  public      ::ffff:8.8.8.8  64:ff9b::808:808  2002:808:808::1
  no-address  localhost  127.1  2130706433  0x7f.0.0.1  1.1.1  1.1.1.1.1  08.8.8.8  [::1]  :::  hooks.example
`;
for (const line of ADDRESSES.trim().split("\n")) {
  const [kind = "", ...addresses] = line.trim().split(/\s+/);
  for (const address of addresses)
    test(`${address} is ${kind}`, () => assert.equal(isPublicAddress(address), kind === "public"));
}
test("an empty text is not a public address", () => assert.equal(isPublicAddress(""), false));

test("every form that contains an IPv4 address counts as that address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const form of [
        `::ffff:${address}`,
        `::ffff:${hex}`,
        `64:ff9b::${address}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::1`,
      ])
        assert.equal(isPublicAddress(form), isPublicAddress(address), form);
    }),
  );
});

/** Spellings, their canonical form (`-`: no address), and what counts as one client. */
const SPELLINGS = `
  192.0.2.7                  192.0.2.7          192.0.2.7
  192.0.2.7:4711             192.0.2.7          192.0.2.7
  ::ffff:192.0.2.7           192.0.2.7          192.0.2.7
  ::FFFF:c000:207            192.0.2.7          192.0.2.7
  0:0:0:0:0:ffff:c000:0207   192.0.2.7          192.0.2.7
  [::ffff:192.0.2.7]:443     192.0.2.7          192.0.2.7
  2001:DB8::1                2001:db8::1        2001:db8:0:0::/64
  2001:0db8:0:0:0:0:0:1      2001:db8::1        2001:db8:0:0::/64
  2001:db8::0.0.0.1          2001:db8::1        2001:db8:0:0::/64
  [2001:db8::1]              2001:db8::1        2001:db8:0:0::/64
  [2001:db8::1]:8080         2001:db8::1        2001:db8:0:0::/64
  2001:db8:0:1:ffff::        2001:db8:0:1:ffff::  2001:db8:0:1::/64
  2001:db8:0:1::9            2001:db8:0:1::9    2001:db8:0:1::/64
  2001:db8:1::9              2001:db8:1::9      2001:db8:1:0::/64
  fe80::1%eth0               fe80::1            fe80:0:0:0::/64
  [fe80::1%25eth0]:80        fe80::1            fe80:0:0:0::/64
  ::1                        ::1                0:0:0:0::/64
  unknown                    -                  unknown
  1.2.3                      -                  1.2.3
  192.0.2.7:                 -                  192.0.2.7:
  2001:db8::1:zz             -                  2001:db8::1:zz
`;
for (const line of SPELLINGS.trim().split("\n")) {
  const [text = "", canonical = "", network = ""] = line.trim().split(/\s+/);
  test(`${text} is ${canonical} and counts as ${network}`, () => {
    assert.equal(canonicalAddress(text), canonical === "-" ? null : canonical);
    assert.equal(networkOf(canonicalAddress(text) ?? text), network);
  });
}

test("every spelling of an address has one canonical form, and a /64 counts as one client", () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (address, other) => {
      const canonical = canonicalAddress(address);
      assert(canonical !== null);
      assert.equal(canonicalAddress(canonical), canonical);
      assert.equal(canonicalAddress(address.toUpperCase()), canonical);
      assert.equal(canonicalAddress(`[${address}]:1`), canonical);
      if (!canonical.includes(":")) return;
      const prefix = networkOf(canonical).replace("::/64", "");
      const last = networkOf(canonicalAddress(other) ?? "").includes("/64") ? other.split(":").at(-1) : "1";
      const neighbour = canonicalAddress(`${prefix}:1:2:3:${last?.includes(".") ? "4" : last || "4"}`);
      assert.equal(networkOf(neighbour ?? ""), networkOf(canonical));
    }),
  );
});

test("loopback addresses are recognised in each form", () => {
  const isLocal = (text: string) => isLoopback(canonicalAddress(text) ?? text);
  assert.deepEqual(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "[::1]:80"].map(isLocal), Array(5).fill(true));
  assert.deepEqual(["192.0.2.7", "::2", "unknown", "127.evil.example"].map(isLocal), Array(4).fill(false));
});
