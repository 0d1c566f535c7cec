import type { z } from "zod";
import {
  InvitationAccept,
  InvitationAccepted,
  InvitationPreview,
  InvitationToken,
  OpenSessionList,
  PersonRename,
  PersonRenamed,
  SessionEnd,
  SessionObject,
  SIGN_IN_BODIES,
  SIGN_IN_READS,
} from "../../modules/members/schema.ts";
import { OrganisationCreate, OrganisationCreated } from "../../modules/organisations/schema.ts";
import type { Tag } from "../endpoint.ts";
import { refusalReference } from "./answers.ts";
import { type JsonSchema, type Schemas, schemaOf } from "./json-schema.ts";
import { requestBody } from "./operation.ts";

/** Summary of each path below `/auth`; a path without one does not compile. */
const SIGN_IN_SUMMARIES: Readonly<Record<keyof typeof SIGN_IN_BODIES | (typeof SIGN_IN_READS)[number], string>> = {
  "sign-in/email": "Sign in with e-mail address and password",
  "sign-out": "Sign out",
  "change-password": "Change the password and end every other session",
  "request-password-reset": "Ask for a mail with a link to a new password",
  "reset-password": "Set a new password with the token of that link",
  "two-factor/enable": "Turn on a second factor",
  "two-factor/disable": "Turn off the second factor",
  "two-factor/get-totp-uri": "Show the authenticator's key again",
  "two-factor/generate-backup-codes": "Make new backup codes in place of the old ones",
  "two-factor/verify-totp": "Verify the authenticator's code",
  "two-factor/verify-backup-code": "Give a backup code",
  "passkey/generate-register-options": "Begin to add a passkey: options for navigator.credentials.create",
  "passkey/verify-registration": "Add the passkey that was made with those options",
  "passkey/generate-authenticate-options": "Begin to sign in with a passkey: options for navigator.credentials.get",
  "passkey/verify-authentication": "Sign in with the passkey's answer to those options",
  "passkey/list-user-passkeys": "List your passkeys",
  "passkey/update-passkey": "Name a passkey of yours",
  "passkey/delete-passkey": "Remove a passkey of yours",
  "revoke-other-sessions": "End every other session",
};

/** How the operations of `openPaths` are grouped. */
export const SIGNING_IN: Tag = { name: "Signing in", about: "Sessions, passwords and the second factor." };

const OPEN_REFUSALS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503];

/**
 * The dashboard's operations without an organisation: signing in, accepting an invitation, creating an organisation.
 */
export function openPaths(schemas: Schemas, refused: Set<number>): Record<string, JsonSchema> {
  for (const status of OPEN_REFUSALS) refused.add(status);
  const answerOf = (answer: z.ZodType | null): JsonSchema =>
    answer ? schemaOf(answer, "output", schemas) : { type: "object" };
  const post = (
    path: string,
    summary: string,
    body: z.ZodType,
    answer: z.ZodType | null = null,
    status = 200,
  ): [string, JsonSchema] => [
    path,
    { post: { ...openOperation(path, summary, answerOf(answer), status), requestBody: requestBody(body, schemas) } },
  ];
  const get = (path: string, summary: string, answer: z.ZodType | null = null): [string, JsonSchema] => [
    path,
    { get: openOperation(path, summary, answerOf(answer)) },
  ];
  const signIn = Object.entries(SIGN_IN_BODIES).map(([path, body]) =>
    post(`/auth/${path}`, SIGN_IN_SUMMARIES[path as keyof typeof SIGN_IN_BODIES], body),
  );
  return Object.fromEntries([
    ...signIn,
    ...SIGN_IN_READS.map((path) => get(`/auth/${path}`, SIGN_IN_SUMMARIES[path])),
    get("/session", "Who is signed in, and where they are members", SessionObject),
    post("/invitations/preview", "Read an invitation", InvitationToken, InvitationPreview),
    post("/invitations/accept", "Accept an invitation", InvitationAccept, InvitationAccepted),
    get("/account/sessions", "Your sessions", OpenSessionList),
    post("/account/sessions/end", "End a session of yours", SessionEnd, OpenSessionList),
    post("/account/name", "Change your name", PersonRename, PersonRenamed),
    post("/organisations", "Make an organisation of your own", OrganisationCreate, OrganisationCreated, 201),
  ]);
}

function openOperation(path: string, summary: string, answer: JsonSchema, status = 200): JsonSchema {
  const name = path.replaceAll(/[^A-Za-z]+(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    summary,
    tags: [SIGNING_IN.name],
    security: [],
    responses: {
      [status]: { description: "Done.", content: { "application/json": { schema: answer } } },
      ...Object.fromEntries(OPEN_REFUSALS.map((status) => [status, refusalReference(status)])),
    },
  };
}
