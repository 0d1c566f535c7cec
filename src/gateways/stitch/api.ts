import { addSeconds, DAY_SECONDS, secondsBetween, toTimestamp } from "../../kernel/time.ts";
import type {
  Connection,
  GatewayCall,
  NotificationReading,
  PaymentIdentity,
  RawNotification,
  RefundAbility,
  StartedPayment,
  StartPaymentRequest,
  VerifiedNotification,
} from "../contract.ts";
import type { PaymentFact } from "../facts.ts";

/** What each API of Stitch's does for an account; `adapter.ts` picks the one that the account is for. */
export interface StitchApi {
  start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment>;
  query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null>;
  /** Reads a message whose signature is right. */
  read(raw: RawNotification): NotificationReading;
  confirm(claim: string, call: GatewayCall): Promise<VerifiedNotification>;
  readonly refunds: RefundAbility;
  check(call: GatewayCall): Promise<Connection>;
  connect(request: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection>;
}

const OPEN_DAYS = 3;

/** Until when a payment link or a payment request waits. Stitch uses real time, whatever the organisation's clock is. */
export function openUntil({ now, machineNow }: Pick<GatewayCall, "now" | "machineNow">): string {
  const from = secondsBetween(machineNow, now) > 0 ? now : machineNow;
  return toTimestamp(addSeconds(from, OPEN_DAYS * DAY_SECONDS));
}
