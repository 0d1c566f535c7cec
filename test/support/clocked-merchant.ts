import { MAILS, REACTIONS, WORK } from "../../src/catalogue.ts";
import { gatewayCallOf } from "../../src/flows/gateways/accounts.ts";
import { sendSandboxNotification } from "../../src/flows/sandbox-gateway/send-notification.ts";
import type { GatewayCall } from "../../src/gateways/contract.ts";
import type { PaymentFact } from "../../src/gateways/facts.ts";
import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import { instant } from "../../src/kernel/time.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { setClock } from "../../src/modules/organisations/store.ts";
import { createMailer } from "../../src/platform/mailer.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import { createRunDue } from "../../src/worker/run-due.ts";
import type { PageMerchant, TestPages } from "./pages.ts";

/** A merchant whose clock is moved, and the sandbox gateway's notifications to them. */
export interface ClockedMerchant extends PageMerchant {
  /** Moves the clock and runs what is due; answers how often each kind of work ran. */
  move(until: string): Promise<Record<string, number>>;
  /** Has the gateway send this news, so many times at once, as it is asked to now; answers the HTTP status of each. */
  notify(reference: string, status: Payment["status"], times?: number): Promise<readonly number[] | null>;
  /** The facts of the gateway's notifications, in the order of their arrival; of one reference when it is given. */
  told(reference?: string): Promise<PaymentFact[]>;
}

/** A merchant of `pages` whose clock stands at `now`. */
export async function addClockedMerchant(pages: TestPages, now: string): Promise<ClockedMerchant> {
  const merchant = await pages.addMerchant();
  const { id } = merchant.organisation;
  await pages.services.db.transaction(id, async (tx) => setClock(tx, instant(now)));
  return {
    ...merchant,
    move: (until) => runDueOf(pages)(id, instant(until)),
    notify: async (reference, status, times = 1) => {
      const { organisation } = await merchant.ctx();
      return sendSandboxNotification(pages.services, organisation, merchant.gateway, reference, status, times);
    },
    told: async (reference) => {
      const rows = await pages.query<{ fact: PaymentFact; reference: string }>(
        "select fact, reference from gateway_notifications where organisation_id = $1 and source = 'notification' order by id",
        id,
      );
      return rows.filter((row) => reference === undefined || row.reference === reference).map(({ fact }) => fact);
    },
  };
}

/** A call of the merchant's side of the gateway, as the core makes it, at the merchant's time. */
export async function callAs(
  pages: TestPages,
  merchant: PageMerchant,
  gateway: GatewayAccount = merchant.gateway,
): Promise<GatewayCall> {
  const { organisation, now } = await merchant.ctx();
  return gatewayCallOf(pages.services, organisation, gateway, now);
}

const runDueOf = ({ services }: TestPages) =>
  createRunDue({
    services,
    outbound: createOutbound(),
    mailer: createMailer(null),
    metrics: createMetrics(services.db),
    work: WORK,
    reactions: REACTIONS,
    mails: MAILS,
    version: "1.2.3",
  });
