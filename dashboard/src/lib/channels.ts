/** What channels of messages are called. */
export const CHANNEL_NAMES = { sms: "SMS", whatsapp: "WhatsApp" } as const;
