import {
  json,
  newGatewayId,
  type OpenProtocol,
  pairsOf,
  plain,
  randText,
  type StandInFrame,
  type StandInPayment,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  type StandInSubscription,
} from "../stand-in.ts";
import { adhocFault, apiFault, CREDENTIALS, formFault, itnBody } from "./protocol.ts";

/* A stand-in for PayFast, after developers.payfast.co.za: payment form, ITN, API. It plays the sandbox, which has no smallest amount. */

interface Payment {
  readonly reference: string;
  readonly pfPaymentId: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly amount: number;
  token: string | null;
  status: StandInPayment["status"];
  refunds: { amount: number; reason: string }[];
}

interface Subscription {
  readonly token: string;
  /** A token for charges at will, that nothing is collected of. */
  readonly ofCard: boolean;
  readonly first: Payment;
  status: 1 | 2 | 3 | 6;
  amount: number;
  runDate: string;
  pausedCycles: number;
  done: number;
}

const MONTHS: Record<string, number> = { "3": 1, "4": 3, "5": 6, "6": 12 };
const TEXTS = { 1: "ACTIVE", 2: "CANCELLED", 3: "PAUSED", 6: "FAILED" } as const;

/** A date some months on, on its last day when it has no such day. */
function later(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}

const feeOf = (amount: number): number => Math.round(amount * 0.035) + 230;
const centsOf = (text = ""): number => Math.round(Number(text.replace(".", "")) * (text.includes(".") ? 1 : 100));
const done = (response: unknown): StandInReply => json(200, { code: 200, status: "success", data: { response } });
const failed = (code: number, message: string): StandInReply =>
  json(code, { code, status: "failed", data: { response: false, message } });

class Gateway implements OpenProtocol {
  readonly made: Payment[] = [];
  readonly subscriptions = new Map<string, Subscription>();
  /** What was sent, as the merchant asks about it. */
  readonly sent = new Set<string>();
  /** How the next charge at will ends. */
  #charges: "paid" | "declined" | "hard" | "unclear" = "paid";
  readonly #frame: StandInFrame;

  constructor(frame: StandInFrame) {
    this.#frame = frame;
  }

  answer(request: StandInRequest): StandInReply {
    const { method, path, text } = request;
    if (path === "/eng/process" && method === "POST") return this.#process(request);
    if (path === "/eng/query/validate" && method === "POST")
      return plain(200, this.sent.has(text) ? "VALID\r\n" : "INVALID\r\n");
    const fault = apiFault(request);
    if (fault) return failed(401, fault);
    if (path === "/ping") return plain(200, '"API V1"');
    const [, area = "", one = "", two = ""] = path.split("/");
    if (area === "subscriptions") return this.#subscription(request, one, two);
    if (area === "process" && one === "query") return this.#query(two);
    if (area === "transactions" && one === "history") return this.#history(request);
    if (area === "refunds") return one === "query" ? this.#refundable(two) : this.#refund(request, one);
    return failed(404, "Not found");
  }

  payments(): readonly StandInPayment[] {
    return this.made.map(({ reference, status, amount, refunds }) => {
      return { reference, status, amount, refunded: refunds.reduce((sum, refund) => sum + refund.amount, 0) };
    });
  }

  readonly acts = {
    nextCharges: (outcome: "paid" | "declined" | "hard" | "unclear") => {
      this.#charges = outcome;
    },
    renews: async (reference: string, outcome: "paid" | "declined") => {
      const subscription = this.#begunBy(reference);
      if (subscription?.status !== 1) throw new Error("nothing is collected of it");
      const { first, token, amount } = subscription;
      const payment = this.#make(first.fields, amount, token, outcome === "paid" ? "paid" : "failed");
      subscription.runDate = later(subscription.runDate, MONTHS[first.fields.get("frequency") ?? ""] ?? 1);
      subscription.done++;
      await this.#tell(payment, { tokenSecond: true });
    },
    endsSubscription: async (reference: string) => {
      const subscription = this.#begunBy(reference);
      if (!subscription) throw new Error("there is no such subscription");
      subscription.status = 2;
      await this.#tell(subscription.first, { cancelled: true });
    },
    givesBack: async (reference: string) => {
      const subscription = this.#begunBy(reference);
      if (!subscription) throw new Error("there is no such subscription");
      const { first } = subscription;
      first.refunds.push({ amount: first.amount, reason: "by hand" });
      await this.acts.endsSubscription(reference);
    },
    subscription: (reference: string): StandInSubscription | null => {
      const found = this.#begunBy(reference);
      if (!found) return null;
      const status = ({ 1: "active", 2: "cancelled", 3: "paused", 6: "past_due" } as const)[found.status];
      return { status, amount: found.amount, nextDate: found.status === 2 ? null : found.runDate };
    },
  };

  #begunBy(reference: string): Subscription | undefined {
    return [...this.subscriptions.values()].find(({ first }) => first.reference === reference);
  }

  #make(fields: ReadonlyMap<string, string>, amount: number, token: string | null, status: Payment["status"]): Payment {
    const payment: Payment = {
      reference: fields.get("m_payment_id") ?? "",
      pfPaymentId: String(1_000_000 + this.made.length),
      ...{ fields, amount, token, status },
      refunds: [],
    };
    this.made.push(payment);
    return payment;
  }

  /** The payer's page, when the form is as it should be. */
  #process({ text }: StandInRequest): StandInReply {
    const pairs = pairsOf(text);
    const fault = formFault(pairs);
    if (fault) return plain(400, fault);
    const fields = new Map(pairs);
    const [amount, type] = [centsOf(fields.get("amount")), fields.get("subscription_type")];
    return this.#frame.payerPage({
      title: "PayFast",
      lines: [`${fields.get("item_name")}: R ${randText(amount)}`],
      outcomes: {
        paid: "Pay",
        failed: "Decline",
        ...(type === "2" ? {} : { pending: "Pay by EFT" }),
        cancelled: "Cancel",
      },
      decide: async (outcome) => {
        if (outcome === "cancelled") return fields.get("cancel_url") ?? "";
        const token = type && outcome === "paid" ? newGatewayId("", 16) : null;
        const payment = this.#decided(fields, amount, token, outcome as Payment["status"]);
        if (token)
          this.subscriptions.set(token, {
            ...{ token, ofCard: type === "2", first: payment, status: 1, pausedCycles: 0, done: 0 },
            amount: type === "2" ? 0 : centsOf(fields.get("recurring_amount") ?? fields.get("amount")),
            runDate: fields.get("billing_date") ?? this.#frame.now().toISOString().slice(0, 10),
          });
        await this.#tell(payment, {});
        return fields.get("return_url") ?? "";
      },
    });
  }

  /** One that was pending is decided as it is; any other try is a payment of its own. */
  #decided(fields: Payment["fields"], amount: number, token: string | null, status: Payment["status"]): Payment {
    const reference = fields.get("m_payment_id");
    const pending = this.made.find((one) => one.reference === reference && one.status === "pending");
    return pending ? Object.assign(pending, { status, token }) : this.#make(fields, amount, token, status);
  }

  #tell(now: Payment, how: { readonly cancelled?: boolean; readonly tokenSecond?: boolean }): Promise<void> {
    const payment = { ...now };
    const { fields, pfPaymentId, token } = payment;
    return this.#frame.send({
      about: `${payment.reference} ${how.cancelled ? "cancelled" : payment.status}`,
      url: fields.get("notify_url") ?? "",
      compose: ({ amount = payment.amount }) => {
        const status = how.cancelled
          ? "CANCELLED"
          : payment.status === "paid"
            ? "COMPLETE"
            : payment.status.toUpperCase();
        const fee = payment.status === "paid" ? feeOf(amount) : 0;
        const money = how.cancelled
          ? {}
          : { amount_gross: randText(amount), amount_fee: `-${randText(fee)}`, amount_net: randText(amount - fee) };
        const { text, body } = itnBody(fields, {
          pfPaymentId,
          status,
          money,
          token,
          tokenSecond: how.tokenSecond === true,
        });
        this.sent.add(text);
        return { headers: { "content-type": "application/x-www-form-urlencoded" }, body };
      },
    });
  }

  #subscription({ method, text }: StandInRequest, token: string, action: string): StandInReply {
    const found = this.subscriptions.get(token);
    if (!found) return failed(404, "The subscription token does not exist.");
    const given = bodyOf(text);
    const ended = found.status === 2 ? failed(400, "The subscription is not in a valid state.") : null;
    if (found.ofCard && !["fetch", "cancel", "adhoc"].includes(action))
      return failed(400, "The subscription is not in a valid state.");
    switch (`${method} ${action}`) {
      case "GET fetch":
        return done(this.#shown(found));
      case "PUT pause":
        if (found.status !== 1) return failed(400, "The subscription is not in a valid state.");
        if (!(Number(given["cycles"] ?? 1) >= 1)) return failed(400, "cycles must be a positive integer");
        Object.assign(found, { status: 3, pausedCycles: Number(given["cycles"] ?? 1) });
        return done(true);
      case "PUT unpause":
        if (found.status !== 3) return failed(400, "The subscription is not in a valid state.");
        found.status = 1;
        return done("true");
      case "PUT cancel":
        if (ended) return ended;
        found.status = 2;
        void this.#tell(found.first, { cancelled: true });
        return done(true);
      case "PATCH update":
        if (ended) return ended;
        if (given["amount"] !== undefined && !/^[1-9]\d*$/.test(String(given["amount"])))
          return failed(400, "amount must be cents");
        if (given["run_date"] !== undefined && !/^\d{4}-\d\d-\d\d$/.test(String(given["run_date"])))
          return failed(400, "run_date must be a date");
        if (given["amount"] !== undefined) found.amount = Number(given["amount"]);
        if (given["run_date"] !== undefined) found.runDate = String(given["run_date"]);
        return done(this.#shown(found));
      case "POST adhoc":
        if (found.ofCard) return ended ?? this.#charge(found, given);
        return json(200, {
          code: 400,
          status: "failed",
          data: { response: 400, message: "The subscription is not in a valid state." },
        });
      default:
        return failed(404, "Not found");
    }
  }

  #charge({ token, first }: Subscription, given: Readonly<Record<string, unknown>>): StandInReply {
    const fault = adhocFault(given);
    if (fault) return failed(400, fault);
    const outcome = this.#charges;
    this.#charges = "paid";
    if (outcome === "hard") return failed(400, "The subscription is not in a valid state.");
    if (outcome === "declined") return failed(400, "The card was declined (05)");
    const fields = new Map([
      ...["merchant_id", "notify_url"].map((name) => [name, first.fields.get(name) ?? ""] as const),
      ...["m_payment_id", "item_name"].map((name) => [name, String(given[name] ?? "")] as const),
    ]);
    const payment = this.#make(fields, Number(given["amount"]), token, "paid");
    // Neither the answer nor the notice arrives.
    if (outcome === "unclear") return plain(500, "");
    void this.#tell(payment, { tokenSecond: true });
    const { pfPaymentId } = payment;
    const data = { response: true, message: "Transaction was successful (00)", pf_payment_id: pfPaymentId };
    return json(200, { code: 200, status: "success", data });
  }

  #shown({ token, amount, runDate, status, done, first }: Subscription) {
    const frequency = Number(first.fields.get("frequency") ?? 0);
    return {
      token,
      amount,
      cycles: 0,
      cycles_complete: done,
      frequency,
      run_date: `${runDate}T00:00:00+02:00`,
      status,
      status_text: TEXTS[status],
      status_reason: "",
    };
  }

  #query(id: string): StandInReply {
    const payment = this.made.find(({ pfPaymentId }) => pfPaymentId === id);
    if (!payment) return failed(404, "Not found");
    const status = payment.status === "paid" ? "COMPLETE" : payment.status.toUpperCase();
    return done({
      status,
      amount: payment.amount,
      cc_status: "",
      cc_message: payment.status === "failed" ? "Insufficient funds" : "",
    });
  }

  #history({ query }: StandInRequest): StandInReply {
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 1000)];
    const rows = this.made
      .filter(({ status }) => status === "paid")
      .map((payment) => {
        const { fields, amount, reference, pfPaymentId } = payment;
        const cells = [
          ...[
            "2026-11-20 10:00:00",
            "Funds Received",
            "Credit",
            "Payer",
            fields.get("item_name") ?? "",
            "",
            "ZAR",
            "Credit Card",
          ],
          ...[
            randText(amount),
            `-${randText(feeOf(amount))}`,
            randText(amount - feeOf(amount)),
            "0.00",
            reference,
            pfPaymentId,
          ],
          ...["custom_str1", "custom_str2"].map((name) => fields.get(name) ?? ""),
        ];
        return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
      });
    const heading =
      "Date,Type,Sign,Party,Name,Description,Currency,Funding Type,Gross,Fee,Net,Balance,M Payment ID,PF Payment ID,Custom_str1,Custom_str2";
    return {
      status: 200,
      headers: { "content-type": "text/csv" },
      body: [heading, ...rows.slice(offset, offset + limit)].join("\n"),
    };
  }

  #refundable(id: string): StandInReply {
    const payment = this.made.find(({ pfPaymentId, status }) => pfPaymentId === id && status === "paid");
    if (!payment) return failed(404, "Not found");
    const left = payment.amount - payment.refunds.reduce((sum, { amount }) => sum + amount, 0);
    const method = { method: "PAYMENT_SOURCE" };
    return done({
      amount_original: payment.amount,
      amount_available_for_refund: left,
      status: left > 0 ? "REFUNDABLE" : "COMPLETED",
      ...{ refund_full: method, refund_partial: method, bank_names: [] },
    });
  }

  #refund({ method, text }: StandInRequest, id: string): StandInReply {
    const payment = this.made.find(({ pfPaymentId, status }) => pfPaymentId === id && status === "paid");
    if (!payment) return failed(404, "Not found");
    if (method === "GET") return done(payment.refunds);
    const { amount, reason } = bodyOf(text);
    const left = payment.amount - payment.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    if (!/^[1-9]\d*$/.test(String(amount)) || Number(amount) > left)
      return failed(400, "The amount is more than is left.");
    const why = String(reason ?? "");
    if ([...why].length < 3 || [...why].length > 255) return failed(400, "reason must have 3 to 255 characters");
    payment.refunds.push({ amount: Number(amount), reason: why });
    return done(true);
  }
}

/** JSON, or a form. */
const bodyOf = (text: string): Record<string, unknown> =>
  text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : Object.fromEntries(pairsOf(text));

export const standIn: StandInProtocol = {
  type: "payfast",
  credentials: CREDENTIALS,
  wrongCredentials: { ...CREDENTIALS, passphrase: "another passphrase" },
  sender: "197.97.145.150",
  refundCall: "POST /refunds",
  beforeRefund: "GET /refunds/query",
  open: (frame) => new Gateway(frame),
};
