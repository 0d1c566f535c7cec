import { type Command, type Context, profileOf } from "../context.ts";
import type { Profile } from "../profiles.ts";

/** A message of the protocol, as far as it is looked at here. */
interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const INTERNAL = -32_603;
const PARSE = -32_700;
const PLAIN = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export const mcp: Command = {
  name: "mcp",
  usage: "",
  about: "Serves the API's tools to an assistant, by the Model Context Protocol on stdin and stdout.",
  async run(context) {
    const bridge = new Bridge(context, profileOf(context));
    const underWay = new Set<Promise<void>>();
    for await (const line of context.lines()) {
      if (line.trim() === "") continue;
      const passing = bridge.pass(line).finally(() => underWay.delete(passing));
      underWay.add(passing);
      // The session is known before anything else is sent.
      if (bridge.isOpening) await passing;
    }
    await Promise.all(underWay);
  },
};

/** Passes messages on to the service's own `/mcp`, which knows the protocol. */
class Bridge {
  readonly #context: Context;
  readonly #profile: Profile;
  /** Headers of the session that `initialize` began. */
  readonly #session: Record<string, string> = {};
  isOpening = false;

  constructor(context: Context, profile: Profile) {
    this.#context = context;
    this.#profile = profile;
  }

  /** Prints the answer to one message. */
  async pass(line: string): Promise<void> {
    const message = parsed(line);
    if (message === null) return this.#fail(null, PARSE, "A line of stdin is no JSON object.");
    this.isOpening = message.method === "initialize";
    try {
      const answer = await fetch(`${this.#profile.baseUrl.replace(/\/$/, "")}/mcp`, {
        method: "POST",
        body: line,
        signal: this.#context.signal,
        headers: {
          authorization: `Bearer ${this.#profile.apiKey}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...this.#session,
          ...headersOf(message),
        },
      });
      const text = await answer.text();
      if (this.isOpening && answer.ok) this.#keepSession(answer, text);
      if (text === "") return;
      if (parsed(text)?.jsonrpc !== "2.0") throw new Error(`HTTP ${answer.status}: is it a service with /mcp?`);
      this.#context.print(text);
    } catch (error) {
      if (this.#context.signal.aborted || message.id === undefined) return;
      const why =
        error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
      this.#fail(message.id, INTERNAL, `${this.#profile.baseUrl} did not answer: ${why}`);
    } finally {
      this.isOpening = false;
    }
  }

  #keepSession(answer: Response, text: string): void {
    const session = answer.headers.get("mcp-session-id");
    const { result } = JSON.parse(text) as { result?: { protocolVersion?: string } };
    if (session !== null) this.#session["mcp-session-id"] = session;
    if (result?.protocolVersion) this.#session["mcp-protocol-version"] = result.protocolVersion;
  }

  #fail(id: string | number | null, code: number, message: string): void {
    this.#context.print(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

function parsed(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** The headers of a message that names its version itself. */
function headersOf({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof version !== "string" || method === undefined) return {};
  return {
    "mcp-protocol-version": coded(version),
    "mcp-method": coded(method),
    ...(method === "tools/call" ? { "mcp-name": coded(String(params?.name)) } : {}),
  };
}

const coded = (value: string): string =>
  PLAIN.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
