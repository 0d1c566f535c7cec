import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Services } from "../../flows/services.ts";

/** The longest time that browsers keep a cookie. */
const KEPT_SECONDS = 400 * 24 * 3600;
const VALUE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

type Reach = Pick<Services, "secrets" | "baseUrl">;

/**
 * The id of a browser in which the owner of an email address has signed in before, or null for any other browser. It is
 * recognised by a cookie that the service has signed for that address. Wrong passwords are counted per known browser,
 * so that somebody who only knows the address cannot lock its owner out.
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

/** The `Set-Cookie` line to send after a successful sign-in. A known browser keeps its id. */
export function rememberDevice(reach: Reach, cookies: string, email: string): string {
  const { secrets, baseUrl } = reach;
  const device = knownDevice(reach, cookies, email)?.split(":", 1)[0] ?? randomBytes(16).toString("base64url");
  const signature = sign(secrets.derive("known device"), device, email).toString("base64url");
  const secure = isSecure(baseUrl) ? " Secure;" : "";
  return `${cookieName(baseUrl, email)}=${device}.${signature}; Max-Age=${KEPT_SECONDS}; Path=/; HttpOnly;${secure} SameSite=Lax`;
}

/**
 * A hash of an email address, the same for upper and lower case, for use where the address itself must not be stored.
 */
export const digestOf = (email: string): string =>
  createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith("https:");

/** Each address has its own cookie, since several people may use one browser. */
const cookieName = (baseUrl: string, email: string): string =>
  `${isSecure(baseUrl) ? "__Host-" : ""}tefo.device_${digestOf(email).slice(0, 12)}`;

const sign = (key: Buffer, device: string, email: string): Buffer =>
  createHmac("sha256", key)
    .update(`${device} ${digestOf(email)}`)
    .digest();
