import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clockOf, DEFAULT_CURRENCY } from "../../flows/context.ts";
import { membershipsOfUser } from "../../flows/members/memberships.ts";
import { recordSignIn } from "../../flows/members/record-sign-in.ts";
import type { Services } from "../../flows/services.ts";
import { ApiError, invalid } from "../../kernel/errors.ts";
import { PLANS } from "../../kernel/plans.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { type Session, SIGN_IN_BODIES, SIGN_IN_READS } from "../../modules/members/schema.ts";
import { isReadOnly, statusOf } from "../../modules/organisations/states.ts";
import { networkOf } from "../../platform/addresses.ts";
import { ADDRESS_HEADER, IDENTITY_PATH, type Identity, type StaffSession } from "../../platform/identity.ts";
import { clientAddress } from "../client-address.ts";
import { cookiesOf, DASHBOARD_PREFIX, signedOut } from "../dashboard-api.ts";
import { parse } from "../errors.ts";
import { methodNotAllowed } from "../methods.ts";
import { readBody } from "../mount.ts";
import { requireOwnOrigin } from "../origin.ts";
import { knownDevice, rememberDevice } from "./known-devices.ts";
import { openRoute } from "./open-route.ts";
import { type Attempt, beginAttempt, countResetMail, isFirstUse } from "./sign-in-limits.ts";

type AuthChange = keyof typeof SIGN_IN_BODIES;
type AuthRead = (typeof SIGN_IN_READS)[number];
type AuthPath = AuthChange | AuthRead;

/**
 * The account against which a wrong secret counts, by path: the one `named` in the body, the `session`'s own, or none
 * (`network`: only the client's network is limited). Null when the path checks no secret.
 */
const GUESSES: Readonly<Record<AuthChange, "named" | "session" | "network" | null>> = {
  "sign-in/email": "named",
  "change-password": "session",
  "request-password-reset": null,
  "reset-password": "network",
  "two-factor/enable": "session",
  "two-factor/disable": "session",
  "two-factor/get-totp-uri": "session",
  "two-factor/generate-backup-codes": "session",
  "two-factor/verify-totp": "network",
  "two-factor/verify-backup-code": "network",
  "passkey/verify-registration": null,
  "passkey/verify-authentication": "network",
  "passkey/update-passkey": null,
  "passkey/delete-passkey": null,
  "revoke-other-sessions": null,
  "sign-out": null,
};

/** Messages by the library's error code; other codes keep the library's message. */
const MESSAGES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: "The email address or the password is wrong.",
  INVALID_EMAIL: "The email address is not one, such as thandi@example.co.za.",
  INVALID_PASSWORD: "The password is wrong.",
  INVALID_CODE: "The code is wrong, or its time is over.",
  INVALID_BACKUP_CODE: "The backup code is wrong, or was used before.",
  INVALID_TWO_FACTOR_COOKIE: "The time for the second step is over. Sign in again.",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many wrong codes. Sign in again.",
  ACCOUNT_TEMPORARILY_LOCKED: "Too many wrong codes. Wait a while and try again.",
  INVALID_TOKEN: "This link is no longer valid. Ask for a new one.",
  SESSION_NOT_FRESH: "Sign in again first: passkeys are added within a quarter of an hour of signing in.",
  CHALLENGE_NOT_FOUND: "The time for this step is over, or it was answered before. Begin again.",
  FAILED_TO_VERIFY_REGISTRATION: "This passkey could not be verified. Begin again.",
  PREVIOUSLY_REGISTERED: "This passkey is yours already.",
  PASSKEY_NOT_FOUND: "This passkey is not known here. Sign in another way.",
  AUTHENTICATION_FAILED: "This passkey could not be verified. Begin again.",
  PASSKEY_OWNER_NOT_VERIFIED: "Your device must ask for your finger, face or PIN. Choose a passkey that does.",
  RESET_PASSWORD_DISABLED: "This service sends no mail, so a password cannot be reset by mail. Ask its operator.",
  UNAUTHORIZED: "You are not signed in, or your session has ended. Sign in again.",
};
/** Codes that the library returns with 400 and that count as a wrong secret. */
const FAILED_PROOFS = new Set(["TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE"]);
const LOCKED_SECONDS = 900;

/**
 * Registers signing in and out, second factor, passkeys and passwords at `/dashboard/api/auth/*`, and who is signed in
 * at `GET /dashboard/api/session`. Only the paths of `SIGN_IN_BODIES` and `SIGN_IN_READS` are open; sign-up is refused,
 * since people join by invitation.
 */
export function registerAuthRoutes(
  app: FastifyInstance,
  identity: Identity,
  services: Services,
  options: { trustedProxies: number },
): void {
  app.route({
    method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    url: `${IDENTITY_PATH}/*`,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      requireOwnOrigin(request, services.baseUrl);
      const path = openPath(request);
      return forward(path, request, reply, { identity, services, ip: clientAddress(request, options.trustedProxies) });
    },
  });
  openRoute(app, "GET", `${DASHBOARD_PREFIX}/session`, (request) => readSession(request, identity, services));
}

function openPath(request: FastifyRequest): AuthPath {
  const path = (request.params as { "*": string })["*"];
  if (path.startsWith("sign-up"))
    throw new ApiError(
      "permission_required",
      403,
      "Accounts are made by invitation. Ask an owner of your organisation for one.",
    );
  if (isRead(path)) {
    if (request.method !== "GET") throw methodNotAllowed("GET");
    return path;
  }
  if (!Object.hasOwn(SIGN_IN_BODIES, path)) throw new ApiError("not_found", 404, "No such path.");
  if (request.method !== "POST") throw methodNotAllowed("POST");
  return path as AuthChange;
}

const isRead = (path: string): path is AuthRead => SIGN_IN_READS.some((read) => read === path);

interface Reach {
  readonly identity: Identity;
  readonly services: Services;
  readonly ip: string;
}

async function forward(
  path: AuthPath,
  request: FastifyRequest,
  reply: FastifyReply,
  reach: Reach,
): Promise<FastifyReply> {
  const { identity, ip } = reach;
  const body: Record<string, unknown> = isRead(path) ? {} : parse(SIGN_IN_BODIES[path], readBody(request), "body");
  // Also ends a session that was idle too long, before the library accepts it.
  const before = await identity.session(cookiesOf(request));
  const attempt = isRead(path) ? null : await guard(path, body, before, request, reach);
  // After a change of password, sessions that were opened with the old one end.
  const fields = path === "change-password" ? { ...body, revokeOtherSessions: true } : body;
  const response = await identity.handle(authRequest(path, fields, request, reach));
  const answer = await readAnswer(response);
  request.log.info({ path, ip, status: response.status, reason: answer["code"] }, "identity");
  const cookies = lastOfEach(response.headers.getSetCookie());
  const opened = cookies.length === 0 ? null : await identity.session(headersOf(cookies));
  // The browser now has another session or none, so its earlier session ends.
  if (before && cookies.some(isSessionCookie) && opened?.id !== before.id) await identity.endSession(before.id);
  if (path === "two-factor/verify-totp" && !before && opened) await refuseReplay(body, opened, reach);
  const person = opened ?? before;
  if (response.ok && person && changesProof(path, before)) await identity.endTrust(person.userId);
  if (response.ok && person && !isRead(path))
    await recordSignIn(reach.services, person.userId, path, { ip, requestId: request.id });
  if (opened) cookies.push(rememberDevice(reach.services, request.headers.cookie ?? "", opened.email));
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  if (!response.ok) throw refusal(response.status, answer);
  await attempt?.succeeded();
  // Only the cookie has the session's token.
  const { token: _token, session: _session, ...shown } = answer;
  return reply
    .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .send(JSON.stringify(shown));
}

/**
 * Whether a success of the path gives the person a new password or second factor; only the library knows about a reset
 * by mail.
 */
const changesProof = (path: AuthPath, before: StaffSession | null): boolean =>
  path === "change-password" ||
  path === "two-factor/disable" ||
  (path === "two-factor/verify-totp" && before?.twoFactor === false);

/** The `Set-Cookie` lines whose values the browser keeps: the last one of each name. */
function lastOfEach(lines: readonly string[]): string[] {
  const byName = new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line]));
  return [...byName.values()];
}

/** Request headers with the cookies of `Set-Cookie` lines, as a browser would send them. */
const headersOf = (cookies: readonly string[]): Headers =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(";", 1)[0]).join("; ") });

const isSessionCookie = (cookie: string): boolean => /^(__Host-)?tefo\.session_token=/.test(cookie);

const authRequest = (path: AuthPath, body: unknown, request: FastifyRequest, { services, ip }: Reach): Request =>
  new Request(new URL(`${IDENTITY_PATH}/${path}`, services.baseUrl), {
    method: isRead(path) ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      cookie: request.headers.cookie ?? "",
      "user-agent": (request.headers["user-agent"] ?? "").slice(0, 300),
      [ADDRESS_HEADER]: ip,
    },
    body: isRead(path) ? null : JSON.stringify(body),
  });

/**
 * Throws for a one-time code that has already opened a session, and ends the session that it has just opened; its
 * cookie was not sent yet.
 */
async function refuseReplay(
  body: Record<string, unknown>,
  opened: StaffSession,
  { identity, services }: Reach,
): Promise<void> {
  if (await isFirstUse(services, opened.userId, String(body["code"]))) return;
  await identity.endSession(opened.id);
  throw new ApiError("unauthorized", 401, "This code was used before. Sign in again with the next one.");
}

async function guard(
  path: AuthChange,
  body: Record<string, unknown>,
  session: StaffSession | null,
  request: FastifyRequest,
  { services, ip }: Reach,
): Promise<Attempt | null> {
  const network = networkOf(ip);
  if (path === "request-password-reset") {
    await beginAttempt(services, { network, email: null });
    await countResetMail(services, String(body["email"]));
    return null;
  }
  switch (GUESSES[path]) {
    case "named": {
      const email = String(body["email"]);
      const device = knownDevice(services, request.headers.cookie ?? "", email);
      return beginAttempt(services, device === null ? { network, email } : { place: device });
    }
    case "session":
      if (!session) throw signedOut();
      return beginAttempt(services, { place: `session:${session.userId}` });
    case "network":
      return beginAttempt(services, { network, email: null });
    case null:
      return null;
  }
}

async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (Array.isArray(value)) return { data: value, hasMore: false, nextCursor: null };
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The library's refusal in the interface's shape (interface 7). */
function refusal(status: number, answer: Record<string, unknown>): ApiError {
  const code = String(answer["code"] ?? "");
  const message = MESSAGES[code] ?? (String(answer["message"] ?? "").replace(/\.?$/, ".") || "This is refused.");
  if (status === 401 || FAILED_PROOFS.has(code)) return new ApiError("unauthorized", 401, message);
  if (status === 403) return new ApiError("permission_required", 403, message);
  if (status === 404) return new ApiError("not_found", 404, message);
  if (status === 429)
    return new ApiError("rate_limited", 429, message, { headers: { "retry-after": String(LOCKED_SECONDS) } });
  return invalid(message);
}

/** The signed-in user, with role and permissions in each organisation. Throws 401 without a session. */
async function readSession(request: FastifyRequest, identity: Identity, services: Services): Promise<Session> {
  const session = await identity.session(cookiesOf(request));
  if (!session) throw signedOut();
  const memberships = await membershipsOfUser(services, session.userId);
  return {
    user: { id: session.userId, email: session.email, name: session.name, twoFactor: session.twoFactor },
    mailEnabled: services.mailEnabled,
    organisations: memberships.map(({ member, tourDue, organisation }) => {
      const now = clockOf(organisation);
      const status = statusOf(organisation, now);
      return {
        id: organisation.id,
        slug: organisation.slug,
        name: organisation.name,
        sandbox: organisation.sandbox,
        status,
        readOnly: isReadOnly(status),
        trialEndsAt: toTimestampOrNull(organisation.trialEndsAt),
        clock: { now: toTimestamp(now), set: organisation.clockAt !== null },
        currency: DEFAULT_CURRENCY,
        plan: { name: organisation.plan, features: [...PLANS[organisation.plan].features] },
        memberId: member.id,
        role: member.role.id,
        roleName: member.role.name,
        permissions: [...member.role.permissions],
        tourDue,
      };
    }),
  };
}
