import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Services } from "../../flows/services.ts";

/** As long as browsers keep a cookie. */
const KEPT_SECONDS = 400 * 24 * 3600;
const VALUE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

type Reach = Pick<Services, "secrets" | "baseUrl">;

/**
 * A browser in which the owner of an e-mail address has signed in before: it is known by a cookie that we signed for that address, and
 * its wrong passwords count by themselves. So nobody who merely knows the address can lock its owner out there. Null for any
 * other browser; else what names this one for this address.
 */
export function knownDevice({ secrets, baseUrl }: Reach, cookies: string, email: string): string | null {
  const [, value = ""] = new RegExp(`(?:^|;\\s*)${cookieName(baseUrl, email)}=([^;\\s]*)`).exec(cookies) ?? [];
  const [, device = "", signature = ""] = VALUE.exec(value) ?? [];
  const given = Buffer.from(signature, "base64url");
  const ours = secrets.deriveAll("known device").some((key) => {
    const expected = sign(key, device, email);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return ours ? `${device}:${digestOf(email)}` : null;
}

/** The `Set-Cookie` line that makes a browser known from a successful sign-in on; it keeps the name that it has. */
export function rememberDevice(reach: Reach, cookies: string, email: string): string {
  const { secrets, baseUrl } = reach;
  const device = knownDevice(reach, cookies, email)?.split(":", 1)[0] ?? randomBytes(16).toString("base64url");
  const signature = sign(secrets.derive("known device"), device, email).toString("base64url");
  const secure = isSecure(baseUrl) ? " Secure;" : "";
  return `${cookieName(baseUrl, email)}=${device}.${signature}; Max-Age=${KEPT_SECONDS}; Path=/; HttpOnly;${secure} SameSite=Lax`;
}

/** What stands for an e-mail address, whatever its case, where the address itself should not. */
export const digestOf = (email: string): string =>
  createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith("https:");

/** One for each address, since a browser may be known to several people. */
const cookieName = (baseUrl: string, email: string): string =>
  `${isSecure(baseUrl) ? "__Host-" : ""}tefo.device_${digestOf(email).slice(0, 12)}`;

const sign = (key: Buffer, device: string, email: string): Buffer =>
  createHmac("sha256", key)
    .update(`${device} ${digestOf(email)}`)
    .digest();
