import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** Some proxies write the client's port behind its address, and IPv6 in brackets. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;
/** The only global unicast block of IPv6. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Subscribers hold a block of IPv6 addresses of this length. */
const SUBSCRIBER_BITS = 64;

/**
 * The canonical form of an IP address, used by logs, audit entries and limits: IPv4 with dots; IPv6 in lower case and compressed
 * (RFC 5952), without a zone; an IPv4-mapped address is the IPv4 address. A port behind it and brackets around it are dropped.
 * Null for a text that is not an address.
 */
export function canonicalAddress(text: string): string | null {
  const [, ipv4, bracketed] = WITH_PORT.exec(text) ?? [];
  const [address = ""] = (ipv4 ?? bracketed ?? text).split("%", 1);
  return isAddress(address) ? ipaddr.process(address).toString() : null;
}

/** The short forms that `ipaddr.js` accepts too, such as 127.1, are none. */
const isAddress = (text: string): boolean => isIPv4(text) || isIPv6(text);

/**
 * The key under which limits count a client: an IPv4 address, or the /64 of an IPv6 address (such as `2001:db8:0:1::/64`), since one
 * subscriber holds all of it. Expects the form of `canonicalAddress`; any other text is answered as it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const { parts } = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${SUBSCRIBER_BITS}`);
  const prefix = parts.slice(0, SUBSCRIBER_BITS / 16).map((group) => group.toString(16));
  return `${prefix.join(":")}::/${SUBSCRIBER_BITS}`;
}

/**
 * The canonical form of an address or of a CIDR block, such as `203.0.113.0/24`, whose bits after the prefix are zero. Null for a text
 * that is neither.
 */
export function parseBlock(text: string): string | null {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0 || !isAddress(address) || address.includes("%")) return null;
  const canonical = ipaddr.process(address);
  if (bits === undefined) return canonical.toString();
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (length < 0 || length > canonical.toByteArray().length * 8) return null;
  const network = ipaddr[canonical.kind() === "ipv4" ? "IPv4" : "IPv6"].networkAddressFromCIDR(
    `${canonical}/${length}`,
  );
  return `${network}/${length}`;
}

/** Whether a canonical address is in one of these canonical addresses and blocks. */
export const isWithin = (address: string, blocks: readonly string[]): boolean =>
  blocks.some((block) => {
    if (!block.includes("/")) return block === address;
    const [network, bits] = ipaddr.parseCIDR(block);
    const parsed = isAddress(address) ? ipaddr.parse(address) : null;
    return parsed !== null && parsed.kind() === network.kind() && parsed.match([network, bits] as never);
  });

/** Whether a canonical address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  isAddress(address) && ipaddr.parse(address).range() === "loopback";

/**
 * Whether an IP address (as resolved, or as a URL's host without its brackets) is a host on the public internet.
 * False for a text that is not an address. IPv4-mapped, NAT64 (64:ff9b::/96) and 6to4 (2002::/16) forms count as the IPv4
 * address inside them.
 */
export function isPublicAddress(address: string): boolean {
  if (!isAddress(address) || address.includes("%")) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === "unicast";
  const embedded = embeddedIPv4(parsed);
  if (embedded !== null) return embedded.range() === "unicast";
  return parsed.match(GLOBAL_V6) && parsed.range() === "unicast";
}

/** The IPv4 address inside one of NAT64 or 6to4; null for other addresses. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  if (address.match(NAT64)) return new ipaddr.IPv4(bytes.slice(12));
  return address.range() === "6to4" ? new ipaddr.IPv4(bytes.slice(2, 6)) : null;
}

const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
