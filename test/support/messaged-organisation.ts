import type { Ctx } from "../../src/flows/context.ts";
import { putMessageAccount } from "../../src/flows/messages/accounts.ts";
import { requestMessage } from "../../src/flows/messages/request-message.ts";
import type { Services } from "../../src/flows/services.ts";
import { applyReport } from "../../src/modules/messages/store.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** Adds messages: one that was delivered, and one that waits. */
export async function addMessages({ db }: Services, ctx: Ctx): Promise<void> {
  const { id: about } = ctx.organisation;
  await db.transaction(about, (tx) =>
    putMessageAccount(tx, ctx, "sms", { provider: "clickatell", enabled: true, credentials: { apiKey: "key" } }),
  );
  for (const phone of ["082 000 0001", "082 000 0002"])
    await db.transaction(about, async (tx) => {
      const parts = { what: "A test", amount: "R 1.00", url: "https://pay.example" };
      const asked = { channel: "sms", kind: "test", about, customer: null, phone, parts } as const;
      const { id } = await requestMessage(tx, ctx, asked);
      if (phone.endsWith("1"))
        applyReport(tx, "clickatell", { id, ref: "ref", status: "delivered", reason: null }, ctx.now);
    });
}

const to = (last: number) => `(select id from messages where recipient = '+2782000000${last}')`;

/** Of what `addMessages` made: one for every rule about messages. */
export const MESSAGE_FAULTS: readonly PlantedFault[] = [
  ["messages.sent_at", to(1), "update messages set sent_at = null where status = 'delivered'"],
  ["messages.delivered_at", to(1), "update messages set delivered_at = null where status = 'delivered'"],
  ["messages.message_awaited", to(2), "delete from due_work where kind = 'message.send'"],
];
