import type { Channel } from "../../kernel/messages.ts";
import { bulksms } from "./bulksms.ts";
import { clickatell } from "./clickatell.ts";
import type { MessagingAdapter } from "./contract.ts";
import { whatsapp } from "./whatsapp.ts";

/** All providers of messages. A new one is a file and a line here. */
export const MESSAGING_ADAPTERS: readonly MessagingAdapter[] = [clickatell, bulksms, whatsapp];

/** Undefined for a provider that does not exist, or not on this channel. */
export const findProvider = (channel: Channel, type: string): MessagingAdapter | undefined =>
  MESSAGING_ADAPTERS.find((adapter) => adapter.channel === channel && adapter.type === type);
