import { Misuse } from "../arguments.ts";
import { type Command, clientOf } from "../context.ts";
import { configFolder, readProfiles, writeProfiles } from "../profiles.ts";

export const login: Command = {
  name: "login",
  usage: "[--base-url URL] [--profile NAME]",
  about: "Stores an API key, which it asks for or reads from stdin, for this user alone.",
  async run(context) {
    const name = context.typed.option("profile") ?? "default";
    const baseUrl = context.typed.option("base-url") ?? context.env["BASE_URL"] ?? "http://localhost:8080";
    if (!URL.canParse(baseUrl)) throw new Misuse(`${baseUrl} is no address: --base-url https://pay.example.co.za`);
    const apiKey = (await context.askSecret(`API key for ${baseUrl}: `)).trim();
    if (apiKey === "") throw new Misuse("there is no key");
    const { organisation } = await clientOf(context, { baseUrl, apiKey }).me.get();
    const stored = readProfiles(context.env);
    const profile = { baseUrl, apiKey, organisation: organisation.name, sandbox: organisation.sandbox };
    writeProfiles(context.env, { current: name, profiles: { ...stored.profiles, [name]: profile } });
    context.say(`Signed in to ${organisation.name}${organisation.sandbox ? " (sandbox)" : ""} as profile "${name}".`);
    context.say(`The key is kept in ${configFolder(context.env)}.`);
  },
};

export const logout: Command = {
  name: "logout",
  usage: "[--profile NAME]",
  about: "Forgets the key of a profile.",
  async run(context) {
    const { current, profiles } = readProfiles(context.env);
    const name = context.typed.option("profile") ?? current;
    if (!profiles[name]) throw new Misuse(`there is no profile "${name}"`);
    const rest = Object.fromEntries(Object.entries(profiles).filter(([one]) => one !== name));
    writeProfiles(context.env, { current: Object.keys(rest)[0] ?? "default", profiles: rest });
    context.say(`Profile "${name}" is gone. The key itself works until it is revoked.`);
  },
};

export const profiles: Command = {
  name: "profiles",
  usage: "[use NAME]",
  about: "Lists profiles, or says which is used from now on.",
  async run(context) {
    const stored = readProfiles(context.env);
    const name = context.typed.words[1] === "use" ? context.typed.words[2] : undefined;
    if (name !== undefined) {
      if (!stored.profiles[name]) throw new Misuse(`there is no profile "${name}"`);
      writeProfiles(context.env, { ...stored, current: name });
    }
    for (const [one, { baseUrl, organisation, sandbox }] of Object.entries(stored.profiles))
      context.print(
        `${one === (name ?? stored.current) ? "*" : " "} ${one}  ${organisation}${sandbox ? " (sandbox)" : ""}  ${baseUrl}`,
      );
  },
};
