import { createHash, randomUUID } from "node:crypto";
import { type PasskeyOptions, passkey } from "@better-auth/passkey";
import { APIError, betterAuth } from "better-auth";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { twoFactor } from "better-auth/plugins/two-factor";
import type pg from "pg";
import { hashedSessions } from "./hashed-sessions.ts";
import type { Log } from "./log.ts";
import { hashPassword, PASSWORD_MAX, PASSWORD_MIN, type PasswordCost, verifyPassword } from "./passwords.ts";

/** The service's settings for the library. */
export interface LibraryOptions {
  /** Of new hashes; default: that of `hashPassword`. */
  readonly passwordCost?: PasswordCost;
  readonly baseUrl: string;
  /** The library answers requests below this path. */
  readonly basePath: string;
  /** The request header that holds the client's address. */
  readonly addressHeader: string;
  /** 32 bytes each, the current one first. */
  readonly secrets: readonly Buffer[];
  readonly secureCookies: boolean;
  /** Connections whose role sees only the schema `identity`. */
  readonly pool: pg.Pool;
  readonly log: Log;
  /** Must return at once: a slower answer would show that the address is known. Null: no password resets by mail. */
  readonly sendReset: ((to: string, token: string) => void) | null;
  /** Called after the user has set a new password by a reset link. */
  afterReset(userId: string): Promise<void>;
  /** Called before a new session of the user is written. */
  beforeSession(userId: string): Promise<void>;
}

/** The sign-in library. It takes a third of a second to load, so it is loaded at the first use. */
export interface Library {
  handle(request: Request): Promise<Response>;
  /** Null without a session. Nothing is cached, and nothing is written. */
  session(headers: Headers): ReturnType<Auth["api"]["getSession"]>;
  /** The prefix of values sealed with the current secret, and a function that seals a value again with it. */
  sealing(): Promise<{ readonly current: string; again(sealed: string): Promise<string> }>;
}

type Auth = ReturnType<typeof configure>;

/** Connects through the pool on demand. */
export function openLibrary(options: LibraryOptions): Library {
  const auth = configure(options);
  return {
    handle: (request) => auth.handler(request),
    session: (headers) => auth.api.getSession({ headers, query: { disableCookieCache: true, disableRefresh: true } }),
    async sealing() {
      const { secretConfig: key } = await auth.$context;
      return {
        current: typeof key === "string" ? "" : `$ba$${key.currentVersion}$`,
        again: async (sealed) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: sealed }) }),
      };
    },
  };
}

const SESSION_SECONDS = 14 * 24 * 3600;
/** How long after signing in a passkey may be added: otherwise a session left open could give permanent access. */
const FRESH_SECONDS = 15 * 60;
const RESET_SECONDS = 3600;

/** Sign-in only: no sign-up (people are invited), no roles, and no rate limits (the library's would count per process). */
const configure = ({
  baseUrl,
  basePath,
  addressHeader,
  secrets,
  secureCookies,
  pool,
  log,
  ...options
}: LibraryOptions) =>
  betterAuth({
    appName: "Tefo",
    baseURL: new URL(baseUrl).origin,
    basePath,
    secrets: secrets.map((key) => ({ version: versionOf(key), value: key.toString("base64url") })),
    database: pool,
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      password: {
        hash: (password) => hashPassword(password, options.passwordCost),
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => options.afterReset(user.id),
      resetPasswordTokenExpiresIn: RESET_SECONDS,
      ...(options.sendReset && {
        sendResetPassword: async ({ user, token }: { user: { email: string }; token: string }) =>
          options.sendReset?.(user.email, token),
      }),
    },
    session: { ...SESSION_COLUMNS, expiresIn: SESSION_SECONDS, freshAge: FRESH_SECONDS, disableSessionRefresh: true },
    user: USER_COLUMNS,
    account: ACCOUNT_COLUMNS,
    verification: { ...VERIFICATION_COLUMNS, storeIdentifier: "hashed" },
    plugins: [
      hashedSessions,
      twoFactor({ issuer: "Tefo", twoFactorTable: "two_factor", schema: TWO_FACTOR_COLUMNS }),
      passkey({ ...PASSKEYS, origin: new URL(baseUrl).origin }),
    ],
    databaseHooks: { session: { create: { before: ({ userId }) => options.beforeSession(userId) } } },
    // Errors that are not refusals are thrown rather than printed.
    onAPIError: { throw: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: "error",
      disableColors: true,
      log: (_level, message) => log.error({ about: "identity" }, message),
    },
    advanced: {
      // `__Host-`, which browsers accept only from this host and over https; the library itself supports only `__Secure-`.
      cookiePrefix: secureCookies ? "__Host-tefo" : "tefo",
      useSecureCookies: false,
      defaultCookieAttributes: { secure: secureCookies },
      // The HTTP layer checks origins for every path.
      disableCSRFCheck: true,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => randomUUID(), validateSchema: false },
    },
  });

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" };
const USER_COLUMNS = { fields: { ...TIMES, emailVerified: "email_verified" } };
const SESSION_COLUMNS = {
  fields: { ...TIMES, expiresAt: "expires_at", ipAddress: "ip_address", userAgent: "user_agent", userId: "user_id" },
};
const ACCOUNT_COLUMNS = {
  fields: {
    ...TIMES,
    accountId: "account_id",
    providerId: "provider_id",
    userId: "user_id",
    accessToken: "access_token",
    refreshToken: "refresh_token",
    idToken: "id_token",
    accessTokenExpiresAt: "access_token_expires_at",
    refreshTokenExpiresAt: "refresh_token_expires_at",
  },
};
const VERIFICATION_COLUMNS = { fields: { ...TIMES, expiresAt: "expires_at" } };
const TWO_FACTOR_COLUMNS = {
  user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
  twoFactor: {
    fields: {
      userId: "user_id",
      backupCodes: "backup_codes",
      failedVerificationCount: "failed_verification_count",
      lockedUntil: "locked_until",
    },
  },
};

/** A passkey replaces both factors, so the device must verify its owner (finger, face or PIN). */
const PASSKEYS: PasskeyOptions = {
  rpName: "Tefo",
  advanced: { webAuthnChallengeCookie: "passkey" },
  authenticatorSelection: { residentKey: "required", userVerification: "required" },
  registration: {
    afterVerification: async ({ verification }) => requireOwner(verification.registrationInfo?.userVerified),
  },
  authentication: {
    afterVerification: async ({ verification }) => requireOwner(verification.authenticationInfo.userVerified),
  },
  schema: {
    passkey: {
      fields: {
        userId: "user_id",
        publicKey: "public_key",
        credentialID: "credential_id",
        deviceType: "device_type",
        backedUp: "backed_up",
        createdAt: "created_at",
      },
    },
  },
};

function requireOwner(verified: boolean | undefined): void {
  if (!verified) throw new APIError("UNAUTHORIZED", { code: "PASSKEY_OWNER_NOT_VERIFIED" });
}

/** Version number of a key, stored with what it encrypted, so that an older key can be found; reveals nothing about the key. */
const versionOf = (key: Buffer): number => createHash("sha256").update(key).digest().readUInt32BE();
