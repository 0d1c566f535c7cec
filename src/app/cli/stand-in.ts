import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Run, UsageError } from "./command.ts";

/** The stand-ins are tools for developers, no part of what serves payments; the image has them too. */
const FOLDER = join(import.meta.dirname, "..", "..", "..", "test", "gateways");

/** What this command needs of `test/gateways/stand-in.ts`. */
interface Frame {
  openStandIn(
    protocol: Protocol,
    port: number,
    host?: string,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
}

interface Protocol {
  readonly type: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly sender?: string;
}

const load = (file: string): Promise<unknown> => import(pathToFileURL(file).href);

/** `gateway stand-in`: serves a gateway's protocol on this machine until it is stopped. Throws `UsageError` for a gateway without one. */
export const gatewayStandIn: Run = async (call) => {
  const [name = ""] = call.operands;
  if (!existsSync(FOLDER)) throw new Error("Stand-ins are in the folder test/gateways, which is not here.");
  const names = readdirSync(FOLDER).filter((one) => existsSync(join(FOLDER, one, "stand-in.ts")));
  if (!names.includes(name)) throw new UsageError(`There is no stand-in ${name}. There are: ${names.join(", ")}.`);
  const port = call.text("port") ?? "0";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError("--port is a number from 0 to 65535.");
  const { openStandIn } = (await load(join(FOLDER, "stand-in.ts"))) as Frame;
  const { standIn: protocol } = (await load(join(FOLDER, name, "stand-in.ts"))) as { readonly standIn: Protocol };
  const { url, close } = await openStandIn(protocol, Number(port), call.text("host"));
  const suffix = protocol.type.toUpperCase();
  const environment = {
    [`GATEWAY_URL_${suffix}`]: url,
    // Its notifications come from this machine; a trusted proxy before the service gives the address that they name.
    ...(protocol.sender ? { [`GATEWAY_SOURCES_${suffix}`]: `127.0.0.1,${protocol.sender}` } : {}),
  };
  const { type, credentials } = protocol;
  await call.print(
    call.json
      ? `${JSON.stringify({ type, url, environment, credentials })}\n`
      : `${[
          `A stand-in of ${type} listens at ${url}; it is no gateway, and moves no money.`,
          "",
          "Start the service with",
          ...Object.entries(environment).map(([key, value]) => `  ${key}=${value}`),
          "and add a gateway account with",
          ...Object.entries(credentials).map(([key, value]) => `  ${key}: ${value}`),
          "",
          `Requests, notifications and simulated faults: ${url}/_stand-in. Ctrl-C ends it.`,
        ].join("\n")}\n`,
  );
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await close();
  return 0;
};
