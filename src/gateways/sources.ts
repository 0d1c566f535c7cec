import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Whether a canonical address lies in one of the sources: addresses, and ranges such as `197.97.145.144/28`. `any`
 * allows every address. False for a text that is not an address.
 */
export function isFrom(sources: readonly string[], address: string): boolean {
  if (sources.includes("any")) return true;
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : null;
  return family !== null && listOf(sources).check(address, family);
}

/** Whether a text is an address, a range of addresses, or `any`. */
export function isSource(text: string): boolean {
  if (text === "any") return true;
  const [network = "", prefix, ...more] = text.split("/");
  const bits = isIPv4(network) ? 32 : isIPv6(network) ? 128 : 0;
  if (bits === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

function listOf(sources: readonly string[]): BlockList {
  const list = new BlockList();
  for (const source of sources) {
    const [network = "", prefix] = source.split("/");
    const family = isIPv4(network) ? "ipv4" : "ipv6";
    list.addSubnet(network, Number(prefix ?? (family === "ipv4" ? 32 : 128)), family);
  }
  return list;
}
