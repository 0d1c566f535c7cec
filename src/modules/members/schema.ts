import { z } from "zod";
import { codePoints, isStorable } from "../../kernel/text.ts";
import { PASSWORD_MAX, PASSWORD_MIN } from "../../platform/passwords.ts";
import { email, listQuery, optional, text, timestamp } from "../../platform/schema.ts";
import { ALL_PERMISSIONS, findBuiltIn } from "./rules.ts";
import { ROLES, type RoleId } from "./types.ts";

const OWN_ROLE = /^role_[0-9a-z]{26}$/;

/** A built-in role by its name, or one of the organisation's own by its id. */
const role = () =>
  z
    .string()
    .refine(
      (value) => findBuiltIn(value) !== undefined || OWN_ROLE.test(value),
      `must be one of ${ROLES.join(", ")}, or the id of a role of your own`,
    )
    .transform((value) => value as RoleId)
    .describe(`One of ${ROLES.map((name) => `\`${name}\``).join(", ")}, or the \`id\` of a role of your own.`);

/** The role that somebody has. */
const held = {
  role: z.string().describe("A built-in role, or the `id` of one of your own."),
  roleName: z.string().describe("What the role is called."),
};

/** A password at sign-in, never trimmed. An existing one may be shorter than the rule for new ones. */
const typed = () =>
  z.string().max(1000, "is too long").refine(isStorable, "must not hold NUL or broken Unicode characters");

/** A new password. */
const newPassword = () =>
  typed()
    .refine((value) => codePoints(value) >= PASSWORD_MIN, `must be at least ${PASSWORD_MIN} characters`)
    .refine((value) => value.length <= PASSWORD_MAX, `must be at most ${PASSWORD_MAX} characters`)
    .meta({ minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX, format: "password" });

/** Body of `POST /members`. */
export const MemberInvite = z.object({ email: email(), role: role() });
export type MemberInviteBody = z.output<typeof MemberInvite>;

/** Body of `PATCH /members/{id}`. */
export const MemberPatch = z.object({ role: role() });

const roleName = () => text(1, 40);
const permissions = () =>
  z
    .array(z.enum(ALL_PERMISSIONS, "must be a permission such as invoices:read"))
    .max(ALL_PERMISSIONS.length, "must not name a permission twice")
    .describe("A permission to change is one to read, too; `overview:read` and `notes:read` belong to every role.");

/** Body of `POST /roles`. */
export const RoleCreate = z.object({ name: roleName(), permissions: permissions() });
export type RoleCreateBody = z.output<typeof RoleCreate>;

/** Body of `PATCH /roles/{id}`; what is left out stays. */
export const RolePatch = z.object({ name: roleName().optional(), permissions: permissions().optional() });
export type RolePatchBody = z.output<typeof RolePatch>;

/** A role with what it may do. */
export const RoleObject = z
  .object({
    id: z.string().describe("Of a built-in role its name, such as `finance`."),
    name: z.string(),
    builtIn: z.boolean().describe("Built-in roles can neither be changed nor deleted."),
    permissions: z.array(z.enum(ALL_PERMISSIONS)),
    holders: z.int().describe("How many members and open invitations have it."),
    createdAt: timestamp().nullable().describe("Null for a built-in role."),
    updatedAt: timestamp().nullable().describe("Null for a built-in role."),
  })
  .meta({ id: "Role" });

/** Query of `GET /members`. */
export const MemberQuery = listQuery(["mem", "ivt"], {});

/** Body of `POST /invitations/preview`. */
export const InvitationToken = z.object({ token: text(1, 200) });

/** Body of `POST /invitations/accept`; an existing user sends the token alone. */
export const InvitationAccept = z.object({
  token: text(1, 200),
  name: optional(text(0, 100)),
  password: optional(newPassword()),
});
export type InvitationAcceptBody = z.output<typeof InvitationAccept>;

/** A member or an open invitation. */
export const MemberObject = z
  .object({
    id: z.string(),
    status: z.enum(["active", "invited", "expired"]),
    email: z.string(),
    name: z.string().nullable(),
    ...held,
    expiresAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Member" });

/** Reply of `GET /session`. */
export const SessionObject = z
  .object({
    user: z.object({ id: z.string(), email: z.string(), name: z.string(), twoFactor: z.boolean() }),
    mailEnabled: z.boolean().describe("Whether this installation sends mail; without it mails are only kept."),
    organisations: z.array(
      z.object({
        id: z.string(),
        slug: z.string().describe("Sent as `Tefo-Organisation` by members of several."),
        name: z.string(),
        sandbox: z.boolean(),
        status: z.enum(["trial", "active", "suspended", "cancelled", "expired"]),
        readOnly: z.boolean().describe("Whether changes are refused, as after a trial."),
        trialEndsAt: timestamp().nullable(),
        clock: z.object({ now: timestamp(), set: z.boolean().describe("Whether it was set, and stands still.") }),
        currency: z.string().describe("For amounts without a currency."),
        plan: z.object({ name: z.string(), features: z.array(z.string()) }),
        memberId: z.string(),
        ...held,
        permissions: z.array(z.enum(ALL_PERMISSIONS)),
        tourDue: z.boolean().describe("Whether the tour of the demonstration was not ended yet."),
      }),
    ),
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof SessionObject>;

/** Reply of `POST /tour/end`. */
export const TourEnded = z.object({ tourDue: z.literal(false) });

const InvitingOrganisation = z.object({ id: z.string(), slug: z.string(), name: z.string(), sandbox: z.boolean() });

/** The answer of `POST /invitations/preview`. */
export const InvitationPreview = z.object({
  organisation: InvitingOrganisation,
  email: z.string(),
  ...held,
  expiresAt: timestamp(),
  needsPassword: z.boolean(),
});

/** The answer of `POST /invitations/accept`; `created` is true when the account is new. */
export const InvitationAccepted = z.object({
  member: MemberObject,
  organisation: InvitingOrganisation,
  created: z.boolean(),
});

/** Body of `POST /account/name`. */
export const PersonRename = z.object({ name: text(1, 100) });
/** The answer of `POST /account/name`. */
export const PersonRenamed = z.object({ name: z.string() });

/** Body of `POST /account/sessions/end`. */
export const SessionEnd = z.object({ id: text(1, 100) });

/** Reply of `GET /account/sessions`. */
export const OpenSessionList = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        startedAt: timestamp(),
        usedAt: timestamp().describe("To five minutes."),
        address: z.string().nullable(),
        browser: z.string().nullable().describe("The browser's `User-Agent`."),
        current: z.boolean().describe("Whether it is the session of this request."),
      })
      .meta({ id: "OpenSession" }),
  ),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});
export type OpenSessions = z.output<typeof OpenSessionList>;

/** A part of the result of a browser's `PublicKeyCredential.toJSON()`. */
const base64url = () => z.base64url("must be base64url").min(1, "must not be empty").max(20_000, "is too long");

/** The fields that a passkey's response has, for registration and for sign-in. */
const credential = { id: base64url(), rawId: base64url(), type: z.literal("public-key", "must be public-key") };
const extensions = () => z.object({}).default({});

/** Paths below `/auth` with the method GET. */
export const SIGN_IN_READS = [
  "passkey/generate-register-options",
  "passkey/generate-authenticate-options",
  "passkey/list-user-passkeys",
] as const;

/** Bodies below `/auth`, by path. Other fields are removed before the sign-in library gets the body. */
export const SIGN_IN_BODIES = {
  "sign-in/email": z.object({
    email: z.string().trim().max(320),
    password: typed(),
    rememberMe: z.boolean().optional(),
  }),
  "change-password": z.object({ currentPassword: typed(), newPassword: newPassword() }),
  "request-password-reset": z.object({ email: email() }),
  "reset-password": z.object({ token: text(1, 200), newPassword: newPassword() }),
  "two-factor/enable": z.object({ password: typed() }),
  "two-factor/disable": z.object({ password: typed() }),
  "two-factor/get-totp-uri": z.object({ password: typed() }),
  "two-factor/generate-backup-codes": z.object({ password: typed() }),
  "two-factor/verify-totp": z.object({ code: text(1, 20), trustDevice: z.boolean().optional() }),
  "two-factor/verify-backup-code": z.object({ code: text(1, 40), trustDevice: z.boolean().optional() }),
  "passkey/verify-registration": z.object({
    name: text(1, 100).optional(),
    response: z.object({
      ...credential,
      response: z.object({
        clientDataJSON: base64url(),
        attestationObject: base64url(),
        transports: z.array(text(1, 40)).max(10, "must hold at most 10").optional(),
      }),
      clientExtensionResults: extensions(),
    }),
  }),
  "passkey/verify-authentication": z.object({
    response: z.object({
      ...credential,
      response: z.object({
        clientDataJSON: base64url(),
        authenticatorData: base64url(),
        signature: base64url(),
        userHandle: base64url().optional(),
      }),
      clientExtensionResults: extensions(),
    }),
  }),
  "passkey/update-passkey": z.object({ id: text(1, 100), name: text(1, 100) }),
  "passkey/delete-passkey": z.object({ id: text(1, 100) }),
  "revoke-other-sessions": z.object({}).default({}),
  "sign-out": z.object({}).default({}),
} as const;
