import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IPv4 blocks that are not public hosts (IANA special-purpose registry, RFC 6890), and multicast. */
const NOT_PUBLIC_V4 = blocks("ipv4", {
  "this network": "0.0.0.0/8",
  private: "10.0.0.0/8",
  "carrier-grade NAT": "100.64.0.0/10",
  loopback: "127.0.0.0/8",
  "link-local, cloud metadata": "169.254.0.0/16",
  "private, second": "172.16.0.0/12",
  "protocol assignments": "192.0.0.0/24",
  documentation: "192.0.2.0/24",
  "6to4 relays": "192.88.99.0/24",
  "private, third": "192.168.0.0/16",
  benchmarking: "198.18.0.0/15",
  "documentation, second": "198.51.100.0/24",
  "documentation, third": "203.0.113.0/24",
  multicast: "224.0.0.0/4",
  "reserved, broadcast": "240.0.0.0/4",
});
/** The only global unicast block of IPv6; loopback, unspecified, unique-local, link-local and multicast addresses are outside it. */
const GLOBAL_V6 = blocks("ipv6", { "global unicast": "2000::/3" });
/** Blocks inside it that are not public hosts. A 6to4 address counts as the IPv4 address inside it. */
const NOT_PUBLIC_V6 = blocks("ipv6", {
  "protocol assignments, Teredo, benchmarking": "2001::/23",
  documentation: "2001:db8::/32",
  "documentation, second": "3fff::/20",
});

function blocks(family: "ipv4" | "ipv6", named: Record<string, string>): BlockList {
  const list = new BlockList();
  for (const block of Object.values(named)) {
    const [network = "", prefix] = block.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/** Some proxies write the client's port behind its address, and IPv6 in brackets. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * The canonical form of an IP address, used by logs, audit entries and limits: IPv4 with dots; IPv6 in lower case and compressed
 * (RFC 5952), without a zone; an IPv4-mapped address is the IPv4 address. A port behind it and brackets around it are dropped.
 * Null for a text that is not an address.
 */
export function canonicalAddress(text: string): string | null {
  const [, ipv4, bracketed] = WITH_PORT.exec(text) ?? [];
  const [address = ""] = (ipv4 ?? bracketed ?? text).split("%", 1);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return null;
  const groups = groupsOf(address);
  return mappedIPv4(groups) ?? new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/**
 * The key under which limits count a client: an IPv4 address, or the /64 of an IPv6 address (such as `2001:db8:0:1::/64`), since one
 * subscriber holds all of it. Expects the form of `canonicalAddress`; any other text is answered as it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const prefix = groupsOf(address).slice(0, 4);
  return `${prefix.map((group) => group.toString(16)).join(":")}::/64`;
}

/** Whether a canonical address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  address === "::1" || (isIPv4(address) && address.startsWith("127."));

/**
 * Whether an IP address (as resolved, or as a URL's host without its brackets) is a host on the public internet.
 * False for a text that is not an address. IPv4-mapped, NAT64 (64:ff9b::/96) and 6to4 (2002::/16) forms count as the IPv4
 * address inside them.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !NOT_PUBLIC_V4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  const embedded = embeddedIPv4(groupsOf(address));
  if (embedded !== null) return isPublicAddress(embedded);
  return GLOBAL_V6.check(address, "ipv6") && !NOT_PUBLIC_V6.check(address, "ipv6");
}

function embeddedIPv4(groups: readonly number[]): string | null {
  const starts = (...prefix: number[]) => prefix.every((group, i) => groups[i] === group);
  if (starts(0x64, 0xff9b, 0, 0, 0, 0)) return dotted(groups[6], groups[7]);
  return starts(0x2002) ? dotted(groups[1], groups[2]) : mappedIPv4(groups);
}

const mappedIPv4 = (groups: readonly number[]): string | null =>
  groups.slice(0, 6).join() === "0,0,0,0,0,65535" ? dotted(groups[6], groups[7]) : null;

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** The eight groups of an IPv6 address; the URL parser turns a dotted tail into groups. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
