import { API_VERSION, CLIENT_VERSION, DESCRIPTION_VERSION, Resources } from "./generated/resources.ts";
import type { ClientOptions } from "./options.ts";
import { type Call, createTransport, type Transport } from "./transport.ts";
import { createHandler, type HandlerOptions, type WebhookHandler } from "./webhooks/handler.ts";
import { verify } from "./webhooks/verify.ts";

/** Verifying and receiving deliveries. */
export interface Webhooks {
  readonly verify: typeof verify;
  /** A handler that reads what it has missed with this client's key, which needs `events:read`. */
  handler<Tx = void>(options: HandlerOptions<Tx>): WebhookHandler;
}

/** The API of one organisation: `new Tefo({ apiKey, baseUrl })`. */
export class Tefo extends Resources {
  static readonly version = CLIENT_VERSION;
  /** The version of the description that the types were made from. */
  static readonly descriptionVersion = DESCRIPTION_VERSION;
  /** The version of the API that they describe, as in `apiVersion` of `/me` and of events. */
  static readonly apiVersion = API_VERSION;

  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = createTransport(
      options,
      `tefo-typescript/${CLIENT_VERSION} (description ${DESCRIPTION_VERSION})`,
    );
    super(transport);
    this.#transport = transport;
    this.webhooks = {
      verify,
      handler: (handled) => createHandler((query) => this.events.list({ limit: 100, ...query }), handled),
    };
  }

  /** Any request below `/api/v1`, with everything that the methods do: for what a newer service has. */
  request<Answer = unknown>(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.#transport.json<Answer>(method, path, call);
  }
}
