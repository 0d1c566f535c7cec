import { randomBytes } from "node:crypto";
import { realTime } from "../../flows/context.ts";
import { createOrganisation, type NewOrganisation, slugTaken } from "../../flows/organisations/create-organisation.ts";
import { refuseWrongKey } from "../../flows/secrets/refuse-wrong-key.ts";
import { invalid } from "../../kernel/errors.ts";
import { codePoints, isStorable } from "../../kernel/text.ts";
import { slugFault } from "../../modules/organisations/rules.ts";
import { organisationBySlug } from "../../modules/organisations/store.ts";
import { organisationView } from "../../modules/organisations/view.ts";
import type { Identity, StaffUser } from "../../platform/identity.ts";
import { newId } from "../../platform/new-id.ts";
import { PASSWORD_MAX } from "../../platform/passwords.ts";
import { email } from "../../platform/schema.ts";
import { columns, type Invocation, type Run, UsageError } from "./command.ts";
import { answer, operator, withDatabase } from "./database.ts";
import { withIdentity } from "./identity.ts";
import { readPlan, readWhole } from "./organisations.ts";

/** Without quotas: an operator who names no plan sells none. */
const DEFAULT_PLAN = "enterprise";
const NAME_MAX = 200;
/** ASVS 5, 6.2.1; passwords that people choose themselves must be longer. */
const PASSWORD_MIN = 8;

interface Order {
  readonly organisation: Omit<NewOrganisation, "id" | "owner">;
  readonly owner: { readonly email: string; readonly password: string | null };
}

/** `org create`: answers `{organisation, owner, apiKey}`; the owner's password is null when they had one before and it stays. */
export const orgCreate: Run = async (call) => {
  const order = readOrder(call);
  return withDatabase(call, async (context) => {
    const { slug } = order.organisation;
    const services = { db: context.db, secrets: context.opened.secrets() };
    await refuseWrongKey(services);
    if (await organisationBySlug(context.db, slug)) throw slugTaken(slug);
    const { owner, password } = await withIdentity(context, (identity) => findOrMakeOwner(identity, order.owner));
    const now = realTime();
    const { organisation, apiKey } = await createOrganisation(
      services,
      { actor: operator(), now },
      { ...order.organisation, id: newId("org"), owner },
    );
    const shown = organisationView(organisation, now);
    const words = columns([
      ["organisation", `${shown.slug} (${shown.id})`],
      ["plan", shown.trialEndsAt === null ? shown.plan : `${shown.plan}, on trial until ${shown.trialEndsAt}`],
      ["money", shown.sandbox ? "sandbox" : "live"],
      ["owner", owner.email],
      ["password", password ?? "as it was before"],
      ["API key", `${apiKey} (shown this once)`],
    ]);
    await answer(call, { organisation: shown, owner: { email: owner.email, password }, apiKey }, words);
    return 0;
  });
};

/** A user may own several organisations: an existing user's password stays, and a given password must equal it. */
async function findOrMakeOwner(
  identity: Identity,
  { email, password }: Order["owner"],
): Promise<{ owner: StaffUser; password: string | null }> {
  const known = await identity.findUser(email);
  if (known) {
    if (password !== null && !(await identity.hasPassword(known.id, password)))
      throw invalid(`${email} signs in with another password already. Leave out --owner-password, and it stays.`);
    return { owner: known, password };
  }
  const chosen = password ?? randomBytes(15).toString("base64url");
  const name = email.split("@", 1)[0] ?? email;
  return { owner: { id: await identity.createUser({ email, name, password: chosen }), email, name }, password: chosen };
}

function readOrder(call: Invocation): Order {
  const name = (call.text("name") ?? "").trim();
  if (name === "" || codePoints(name) > NAME_MAX || !isStorable(name))
    throw new UsageError(`--name must be 1 to ${NAME_MAX} characters.`);
  const slug = call.text("slug") ?? "";
  const plan = readPlan(call.text("plan") ?? DEFAULT_PLAN);
  const trial = call.text("trial-days");
  const trialDays = trial === undefined ? null : readWhole("--trial-days", trial, 0, 36_500);
  const fault = slugFault(slug);
  if (fault) throw new UsageError(fault);
  return {
    organisation: { slug, name, plan, sandbox: call.given("sandbox"), trialDays },
    owner: { email: readEmail(call.text("owner-email") ?? `owner@${slug}.example`), password: readPassword(call) },
  };
}

function readEmail(text: string): string {
  const { success, data } = email().safeParse(text);
  if (!success) throw new UsageError("--owner-email must be an e-mail address such as thandi@example.co.za.");
  return data.toLowerCase();
}

function readPassword(call: Invocation): string | null {
  const password = call.text("owner-password");
  if (password === undefined) return null;
  if (codePoints(password) >= PASSWORD_MIN && codePoints(password) <= PASSWORD_MAX) return password;
  throw new UsageError(`--owner-password must be ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
}
