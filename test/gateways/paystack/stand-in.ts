import {
  newGatewayId,
  type OpenProtocol,
  type StandInFrame,
  type StandInPayment,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  type StandInSubscription,
} from "../stand-in.ts";
import {
  type Card,
  disputeData,
  invoiceData,
  type Refund,
  refundData,
  type Subscription,
  subscriptionData,
  type Transaction,
  transactionData,
} from "./books.ts";
import {
  answered,
  fault,
  INTERVALS,
  later,
  paymentFault,
  planFault,
  refused,
  SECRET_KEY,
  type Shape,
  signed,
} from "./protocol.ts";

/* A stand-in for Paystack, after paystack.com/docs: transactions, plans, subscriptions, refunds, disputes, webhooks. */

const DECLINED = "4084080000005408";
const CHARGE_ENDS = {
  paid: "Approved",
  unclear: "Approved",
  declined: "Insufficient Funds",
  hard: "Stolen Card",
} as const;

class Gateway implements OpenProtocol {
  readonly #frame: StandInFrame;
  readonly #transactions: Transaction[] = [];
  readonly #plans = new Map<string, Shape>();
  readonly #cards = new Map<string, Card>();
  readonly #subscriptions: Subscription[] = [];
  readonly #refunds: Refund[] = [];
  #notifyUrl: string | null = null;
  #nextCharge: keyof typeof CHARGE_ENDS = "paid";
  #lastId = 4_000_000_000;

  constructor(frame: StandInFrame) {
    this.#frame = frame;
  }

  answer(request: StandInRequest): StandInReply {
    const wrong = fault(request);
    if (wrong) return wrong;
    const { method, path, text, query } = request;
    const body = (method === "GET" ? {} : JSON.parse(text)) as Shape;
    const at = (pattern: RegExp) => decodeURIComponent(pattern.exec(`${method} ${path}`)?.[1] ?? "");
    switch (`${method} ${path}`) {
      case "POST /transaction/initialize":
        return this.#initialize(body);
      case "POST /transaction/charge_authorization":
        return this.#charge(body);
      case "POST /plan":
        return this.#makePlan(body);
      case "POST /subscription":
        return this.#subscribe(body);
      case "POST /subscription/disable":
        return this.#disable(body);
      case "POST /refund":
        return this.#refund(body);
      case "GET /refund":
        return this.#listRefunds(query.get("transaction"));
    }
    const reference = at(/^GET \/transaction\/verify\/([^/]+)$/);
    if (reference) return this.#verify(reference);
    const code = at(/^GET \/subscription\/([^/]+)$/);
    if (code) return this.#show(code);
    const refund = this.#refunds.find(({ id }) => String(id) === at(/^GET \/refund\/([^/]+)$/));
    return refund ? answered("Refund retrieved", refundData(refund)) : refused(404, "Not found", "not_found");
  }

  payments(): readonly StandInPayment[] {
    const statuses = { abandoned: "pending", success: "paid", failed: "failed", reversed: "reversed" } as const;
    return this.#transactions.map((transaction) => ({
      reference: transaction.first,
      status: statuses[transaction.status],
      amount: transaction.amount,
      refunded: this.#refunded(transaction),
    }));
  }

  readonly acts = {
    notifyAt: (url: string) => {
      this.#notifyUrl = url;
    },
    nextCharges: (outcome: keyof typeof CHARGE_ENDS) => {
      this.#nextCharge = outcome;
    },
    renews: async (reference: string, outcome: "paid" | "declined") => {
      const subscription = this.#begunBy(reference);
      if (!subscription || !["active", "attention"].includes(subscription.status))
        throw new Error("nothing is collected of it");
      const renewal = this.#collect(subscription, outcome === "paid");
      const invoice = invoiceData(subscription, renewal, this.#frame.now());
      await this.#tell("invoice.create", invoice);
      if (outcome === "paid") await this.#tell("charge.success", this.#data(renewal));
      else await this.#tell("invoice.payment_failed", invoice);
      await this.#tell("invoice.update", invoice);
    },
    endsSubscription: async (reference: string) => {
      const subscription = this.#begunBy(reference);
      if (!subscription) throw new Error("there is no such subscription");
      Object.assign(subscription, { status: "non-renewing", next: null });
      await this.#tell("subscription.not_renew", this.#shown(subscription));
      subscription.status = "cancelled";
      await this.#tell("subscription.disable", this.#shown(subscription));
    },
    subscription: (reference: string): StandInSubscription | null => {
      const found = this.#begunBy(reference);
      if (!found) return null;
      const statuses = {
        active: "active",
        attention: "past_due",
        "non-renewing": "cancelled",
        cancelled: "cancelled",
      } as const;
      const amount = Number(this.#plans.get(found.plan)?.["amount"]);
      return { status: statuses[found.status], amount, nextDate: found.next?.toISOString().slice(0, 10) ?? null };
    },
    endsRefund: async (reference: string, outcome: "processed" | "failed") => {
      const refund = this.#refunds.findLast(({ transaction }) => transaction.reference === reference);
      if (!refund) throw new Error("there is no such refund");
      const told = (status: string) => ({
        status,
        transaction_reference: reference,
        refund_reference: null,
        amount: String(refund.amount),
        currency: refund.transaction.currency,
        customer: { email: refund.transaction.email },
        domain: "test",
      });
      refund.status = "processing";
      await this.#tell("refund.processing", told("processing"));
      refund.status = outcome;
      const { transaction } = refund;
      if (this.#refunded(transaction) === transaction.amount) transaction.status = "reversed";
      await this.#tell(`refund.${outcome}`, told(outcome));
    },
    reverses: (reference: string) => this.#dispute(reference, "merchant-accepted"),
    winsDispute: (reference: string) => this.#dispute(reference, "declined"),
  };

  #shown(subscription: Subscription): Shape {
    return subscriptionData(subscription, this.#plans.get(subscription.plan) ?? {});
  }

  #data(transaction: Transaction, verified = false): Shape {
    return transactionData(transaction, transaction.plan ? this.#plans.get(transaction.plan) : {}, verified);
  }

  #begunBy(reference: string): Subscription | undefined {
    return this.#subscriptions.find(({ first }) => first === reference);
  }

  #refunded(transaction: Transaction): number {
    const made = this.#refunds.filter((refund) => refund.transaction === transaction && refund.status !== "failed");
    return made.reduce((sum, { amount }) => sum + amount, 0);
  }

  async #dispute(reference: string, resolution: "merchant-accepted" | "declined"): Promise<void> {
    const transaction = this.#transactions.find((one) => one.reference === reference);
    if (!transaction) throw new Error("there is no such payment");
    const dispute = disputeData(transaction, ++this.#lastId, this.#frame.now());
    await this.#tell("charge.dispute.create", dispute);
    await this.#tell("charge.dispute.remind", dispute);
    if (resolution === "merchant-accepted") transaction.status = "reversed";
    const resolvedAt = this.#frame.now().toISOString();
    await this.#tell("charge.dispute.resolve", { ...dispute, status: "resolved", resolution, resolvedAt });
  }

  /** Tells the merchant, when they have set an address for it in the dashboard. */
  async #tell(event: string, data: Shape): Promise<void> {
    if (this.#notifyUrl === null) return;
    await this.#frame.send({
      about: `${event} ${data["reference"] ?? data["subscription_code"] ?? data["transaction_reference"] ?? ""}`,
      url: this.#notifyUrl,
      compose: ({ amount }) => signed(event, amount === undefined ? data : { ...data, amount }),
    });
  }

  #make(fields: Pick<Transaction, "reference" | "amount" | "currency" | "email"> & Partial<Transaction>): Transaction {
    const transaction: Transaction = {
      ...{ id: ++this.#lastId, first: fields.reference, metadata: "", plan: null, status: "abandoned" },
      ...{ card: null, paidAt: null, reason: "", ...fields },
    };
    this.#transactions.push(transaction);
    return transaction;
  }

  #initialize(body: Shape): StandInReply {
    const wrong = paymentFault(body);
    if (wrong) return refused(400, wrong, "invalid_params");
    const { email, amount, currency, reference, callback_url, metadata, plan } = body;
    if (this.#transactions.some((one) => one.reference === reference))
      return refused(400, "Duplicate Transaction Reference", "duplicate_reference");
    const named = plan === undefined ? null : this.#plans.get(String(plan));
    if (named === undefined) return refused(400, "Plan not found", "plan_not_found");
    const money = named ? Number(named["amount"]) : Number(amount);
    const transaction = this.#make({
      ...{ reference: String(reference), amount: money, currency: String(currency), email: String(email), metadata },
      plan: named ? String(plan) : null,
    });
    const cardOnly = plan !== undefined || JSON.stringify(body["channels"]) === '["card"]';
    const { cancel_action: cancelled } = (metadata ?? {}) as Shape;
    const back = `${callback_url}${String(callback_url).includes("?") ? "&" : "?"}trxref=${reference}&reference=${reference}`;
    const authorization_url = this.#frame.payerUrl({
      title: "Paystack",
      lines: [`Pay ${currency} ${money / 100}`, String(email)],
      outcomes: { paid: "Pay", failed: "Decline", cancelled: "Cancel", ...(cardOnly ? {} : { eft: "Pay by EFT" }) },
      fields: { card: "4084084084084081" },
      decide: async (outcome, { card = "" }) => {
        if (outcome === "cancelled") return cancelled ? String(cancelled) : back;
        if (transaction.status === "success") return back;
        const paid = outcome !== "failed" && card !== DECLINED;
        this.#settle(transaction, paid, outcome === "eft" ? null : this.#cardOf(transaction.email, card));
        if (paid) await this.#begin(transaction);
        return back;
      },
    });
    return answered("Authorization URL created", { authorization_url, access_code: newGatewayId(), reference });
  }

  #cardOf(email: string, number: string): Card {
    const key = `${email} ${number}`;
    const card = this.#cards.get(key) ?? { code: newGatewayId("AUTH_", 5), email, number };
    this.#cards.set(key, card);
    return card;
  }

  #settle(transaction: Transaction, paid: boolean, card: Card | null, reason = paid ? "Approved" : "Declined"): void {
    const status = paid ? "success" : "failed";
    Object.assign(transaction, { status, card, paidAt: paid ? this.#frame.now() : null, reason });
  }

  /** A payment with a plan begins its subscription; the order of the two notices is not fixed. */
  async #begin(transaction: Transaction): Promise<void> {
    const { plan, card, email, reference } = transaction;
    const made = plan && card ? this.#subscription({ plan, card, email, first: reference }, null) : null;
    const news = [() => this.#tell("charge.success", this.#data(transaction))];
    if (made) news.push(() => this.#tell("subscription.create", this.#shown(made)));
    if (transaction.id % 2 === 0) news.reverse();
    for (const tell of news) await tell();
  }

  #subscription(fields: Pick<Subscription, "plan" | "card" | "email" | "first">, start: Date | null): Subscription {
    const now = this.#frame.now();
    const next = start ?? later(now, INTERVALS[String(this.#plans.get(fields.plan)?.["interval"])] ?? 1);
    const made: Subscription = {
      ...{ code: newGatewayId("SUB_"), token: newGatewayId(), createdAt: now, status: "active", next },
      ...fields,
    };
    this.#subscriptions.push(made);
    return made;
  }

  #verify(reference: string): StandInReply {
    const found = this.#transactions.find((one) => one.reference === reference);
    return found
      ? answered("Verification successful", this.#data(found, true))
      : refused(400, "Transaction reference not found", "transaction_not_found");
  }

  #charge(body: Shape): StandInReply {
    const wrong = paymentFault(body);
    if (wrong) return refused(400, wrong, "invalid_params");
    const { email, amount, currency, authorization_code: code } = body;
    const reference = String(body["reference"]);
    if (this.#transactions.some((one) => one.reference === reference))
      return refused(400, "Duplicate Transaction Reference", "duplicate_reference");
    const card = [...this.#cards.values()].find((one) => one.code === code && one.email === email);
    if (!card) return refused(400, "Authorization code does not exist or has been deactivated", "invalid_code");
    const outcome = this.#nextCharge;
    this.#nextCharge = "paid";
    const made = this.#make({ reference, amount: Number(amount), currency: String(currency), email: String(email) });
    const paid = outcome === "paid" || outcome === "unclear";
    this.#settle(made, paid, card, CHARGE_ENDS[outcome]);
    if (paid && outcome !== "unclear") void this.#tell("charge.success", this.#data(made));
    return outcome === "unclear" ? { status: 504 } : answered("Charge attempted", this.#data(made));
  }

  #makePlan(body: Shape): StandInReply {
    const wrong = planFault(body);
    if (wrong) return refused(400, wrong, "invalid_params");
    const plan_code = newGatewayId("PLN_");
    this.#plans.set(plan_code, { ...body, plan_code, id: ++this.#lastId });
    return answered("Plan created", this.#plans.get(plan_code));
  }

  #subscribe({ customer, plan, authorization, start_date }: Shape): StandInReply {
    const named = this.#plans.get(String(plan));
    if (!named) return refused(404, "Plan not found", "plan_not_found");
    const card = [...this.#cards.values()].find((one) => one.code === authorization && one.email === customer);
    if (!card) return refused(400, "Customer has no such authorization", "invalid_code");
    const start = new Date(String(start_date));
    if (Number.isNaN(start.getTime()) || start <= this.#frame.now())
      return refused(400, "start_date is not a date in the future", "invalid_params");
    const twin = this.#subscriptions.some(
      (one) => one.plan === plan && one.email === customer && one.status === "active",
    );
    if (twin) return refused(400, "This subscription is already in place.", "duplicate_subscription");
    const first = this.#transactions.find(({ metadata }) => JSON.stringify(metadata ?? "").includes(String(plan)));
    const fields = { plan: String(plan), card, email: card.email, first: first?.reference ?? "" };
    const made = this.#subscription(fields, start);
    void this.#tell("subscription.create", this.#shown(made));
    return answered("Subscription successfully created", {
      ...this.#shown(made),
      plan: named["id"],
      customer: 1173,
    });
  }

  #show(code: string): StandInReply {
    const found = this.#subscriptions.find((one) => one.code === code);
    if (!found) return refused(404, "Subscription not found", "not_found");
    return answered("Subscription retrieved successfully", { ...this.#shown(found), invoices: [] });
  }

  #disable({ code, token }: Shape): StandInReply {
    const found = this.#subscriptions.find((one) => one.code === code && one.token === token);
    if (!found || !["active", "attention"].includes(found.status))
      return refused(404, "Subscription with code not found or already inactive", "not_found");
    Object.assign(found, { status: "non-renewing", next: null });
    void this.#tell("subscription.not_renew", this.#shown(found));
    return answered("Subscription disabled successfully");
  }

  #refund({ transaction: named, amount, currency, merchant_note: note }: Shape): StandInReply {
    const transaction = this.#transactions.find(({ id, reference }) => reference === named || id === Number(named));
    if (!transaction) return refused(404, "Transaction not found", "transaction_not_found");
    if (transaction.status !== "success") return refused(400, "Transaction has not been paid", "invalid_transaction");
    if (currency !== transaction.currency) return refused(400, "Currency does not match", "invalid_params");
    const money = amount === undefined ? transaction.amount : Number(amount);
    if (!Number.isSafeInteger(money) || money <= 0 || this.#refunded(transaction) + money > transaction.amount)
      return refused(400, "Refund amount cannot be more than the transaction amount", "invalid_params");
    const refund: Refund = {
      id: ++this.#lastId,
      transaction,
      amount: money,
      note: String(note ?? ""),
      status: "pending",
    };
    this.#refunds.push(refund);
    const whole = { id: transaction.id, reference: transaction.reference, amount: transaction.amount };
    return answered("Refund has been queued for processing", { ...refundData(refund), transaction: whole });
  }

  #listRefunds(transaction: string | null): StandInReply {
    const made = this.#refunds.filter((refund) => String(refund.transaction.id) === transaction);
    return answered(
      "Refunds retrieved",
      made.map((refund) => refundData(refund)),
    );
  }

  #collect(subscription: Subscription, paid: boolean): Transaction {
    const { plan, email, card, first } = subscription;
    const { amount, currency, interval } = this.#plans.get(plan) ?? {};
    const money = { amount: Number(amount), currency: String(currency) };
    const metadata = { invoice_action: "create" };
    const renewal = this.#make({ reference: newGatewayId(), ...money, email, first, plan, metadata });
    this.#settle(renewal, paid, card, paid ? "Approved" : "Insufficient Funds");
    subscription.status = paid ? "active" : "attention";
    subscription.next = later(subscription.next ?? this.#frame.now(), INTERVALS[String(interval)] ?? 1);
    return renewal;
  }
}

export const standIn: StandInProtocol = {
  type: "paystack",
  credentials: { secretKey: SECRET_KEY },
  wrongCredentials: { secretKey: "sk_test_wrong" },
  refundCall: "POST /refund",
  open: (frame) => new Gateway(frame),
};
