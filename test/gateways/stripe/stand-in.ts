import {
  json,
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
  disputeView,
  type Intent,
  type Invoice,
  intentView,
  invoiceView,
  paymentOf,
  type Refund,
  refundView,
  type Session,
  type Subscription,
  searched,
  sessionView,
  standingOf,
  subscriptionView,
} from "./books.ts";
import { chargeFault, refundFault, sessionFault, updateFault } from "./faults.ts";
import {
  amountIn,
  below,
  CHARGE_ERRORS,
  DECLINED,
  eventOf,
  expandedBy,
  type Fields,
  failed,
  fault,
  fieldsOf,
  invalid,
  later,
  linesOf,
  missing,
  SECRET_KEY,
  type Shape,
  signed,
  unix,
  WEBHOOK_SECRET,
} from "./protocol.ts";

// A stand-in for Stripe, after docs.stripe.com: Checkout, payment intents, subscriptions, refunds, disputes, events.
class Gateway implements OpenProtocol {
  readonly #frame: StandInFrame;
  readonly #sessions: Session[] = [];
  readonly #intents: Intent[] = [];
  readonly #invoices: Invoice[] = [];
  readonly #subscriptions: Subscription[] = [];
  readonly #refunds: Refund[] = [];
  readonly #cards = new Map<string, Card>();
  /** What was answered under each idempotency key. */
  readonly #answered = new Map<string, { readonly asked: string; readonly reply: StandInReply }>();
  #notifyUrl: string | null = null;
  #nextCharge = "paid";
  #lastSecond = 0;

  constructor(frame: StandInFrame) {
    this.#frame = frame;
  }

  /** Stripe's times are whole seconds: what comes later is at least a second later. */
  #now(): Date {
    const now = unix(this.#frame.now());
    this.#lastSecond = now < this.#lastSecond - 600 ? now : Math.max(now, this.#lastSecond + 1);
    return new Date(this.#lastSecond * 1000);
  }

  async answer(request: StandInRequest): Promise<StandInReply> {
    const wrong = fault(request);
    if (wrong) return wrong;
    const { method, path, text, query, headers } = request;
    const fields = fieldsOf(method === "GET" ? query : new URLSearchParams(text));
    if (!fields) return invalid("A parameter was given twice");
    const key = headers["idempotency-key"];
    const before = key === undefined ? undefined : this.#answered.get(key);
    const asked = `${method} ${path} ${text}`;
    if (before) return before.asked === asked ? before.reply : failed(400, "idempotency_error", "Other parameters");
    const reply = await this.#route(method, path, fields);
    if (key !== undefined && reply.status < 500) this.#answered.set(key, { asked, reply });
    if (path !== "/v1/payment_intents" || this.#nextCharge !== "unclear") return reply;
    this.#nextCharge = "paid";
    return { status: 502 };
  }

  async #route(method: string, path: string, fields: Fields): Promise<StandInReply> {
    const [, , folder = "", one = "", two = ""] = path.split("/");
    if (folder === "checkout" && method === "POST" && two === "") return this.#startSession(fields);
    const expanded = expandedBy(fields);
    switch (`${method} ${folder}`) {
      case "GET checkout": {
        const found = this.#sessions.find(({ id }) => id === two);
        return found ? json(200, sessionView(found, "", expanded)) : missing("checkout.session");
      }
      case "POST payment_intents":
        return this.#charge(fields);
      case "GET payment_intents": {
        if (one === "search") return json(200, searched(this.#intents, fields, this.#frame.now(), expanded));
        const found = this.#intents.find(({ id }) => id === one);
        return found ? json(200, intentView(found, expanded)) : missing("payment_intent");
      }
      case "GET invoices": {
        const found = this.#invoices.find(({ id }) => id === one);
        return found ? json(200, invoiceView(found, expanded)) : missing("invoice");
      }
      case "POST refunds":
        return this.#refund(fields);
      case "GET refunds":
        return this.#showRefund(one, fields);
    }
    const subscription = folder === "subscriptions" ? this.#subscriptions.find(({ id }) => id === one) : undefined;
    if (!subscription) return missing(folder);
    if (method === "GET") return json(200, subscriptionView(subscription));
    if (subscription.status === "canceled") return missing("subscription");
    return method === "DELETE" ? this.#cancel(subscription) : this.#update(subscription, fields);
  }

  payments(): readonly StandInPayment[] {
    return this.#intents.map((intent) => paymentOf(intent, this.#refunded(intent)));
  }

  readonly acts = {
    notifyAt: (url: string) => {
      this.#notifyUrl = url;
    },
    nextCharges: (outcome: string) => {
      this.#nextCharge = outcome;
    },
    renews: async (reference: string, outcome: "paid" | "declined") => {
      const subscription = this.#begunBy(reference);
      if (!subscription || subscription.status === "canceled" || subscription.paused)
        throw new Error("nothing is collected of it");
      const invoice = this.#bill(subscription, "subscription_cycle", subscription.amount, outcome === "paid");
      subscription.status = outcome === "paid" ? "active" : "past_due";
      subscription.periodEnd = later(subscription.periodEnd, subscription.months);
      await this.#tell(outcome === "paid" ? "invoice.paid" : "invoice.payment_failed", invoiceView(invoice));
      if (invoice.intent) await this.#tellIntent(invoice.intent);
      await this.#tell("customer.subscription.updated", subscriptionView(subscription));
    },
    endsSubscription: async (reference: string) => {
      const subscription = this.#begunBy(reference);
      if (!subscription) throw new Error("there is no such subscription");
      subscription.status = "canceled";
      await this.#tell("customer.subscription.deleted", subscriptionView(subscription));
    },
    subscription: (reference: string): StandInSubscription | null => {
      const found = this.#begunBy(reference);
      return found ? standingOf(found) : null;
    },
    endsRefund: async (reference: string, outcome: "processed" | "failed") => {
      const refund = this.#refunds.findLast(({ intent }) => intent.reference === reference);
      if (!refund) throw new Error("there is no such refund");
      refund.status = outcome === "processed" ? "succeeded" : "failed";
      await this.#tell("refund.updated", refundView(refund));
      if (outcome === "failed") await this.#tell("refund.failed", refundView(refund));
      else await this.#tell("charge.refunded", { id: refund.intent.id.replace("pi_", "ch_"), object: "charge" });
    },
    reverses: (reference: string) =>
      this.#dispute(reference, { created: "warning_needs_response", funds_withdrawn: "needs_response" }),
    winsDispute: (reference: string) => this.#dispute(reference, { created: "needs_response", closed: "won" }),
  };

  /** By events with the status that the dispute has then: an inquiry takes no money until it becomes a chargeback. */
  async #dispute(reference: string, course: Readonly<Record<string, string>>): Promise<void> {
    const intent = this.#intents.find((one) => one.reference === reference && one.status === "succeeded");
    if (!intent) throw new Error("there is no such payment");
    const [id, created] = [newGatewayId("du_"), unix(this.#now())];
    for (const [event, status] of Object.entries(course)) {
      intent.disputed = status === "needs_response";
      await this.#tell(`charge.dispute.${event}`, disputeView(intent, { id, status, created }));
    }
  }

  #begunBy(reference: string): Subscription | undefined {
    return this.#subscriptions.find((subscription) => subscription.reference === reference);
  }

  #refunded(intent: Intent): number {
    const made = this.#refunds.filter((refund) => refund.intent === intent && refund.status !== "failed");
    return made.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Tells the merchant, when they have set an address for it in the dashboard. */
  async #tell(type: string, object: Shape): Promise<void> {
    const url = this.#notifyUrl;
    if (url === null) return;
    const created = unix(this.#now());
    const compose = ({ amount }: { readonly amount?: number }) => signed(eventOf(type, object, created, amount));
    await this.#frame.send({ about: `${type} ${object["id"]}`, url, compose });
  }

  #tellIntent(intent: Intent): Promise<void> {
    const outcome = intent.status === "succeeded" ? "succeeded" : "payment_failed";
    return this.#tell(`payment_intent.${outcome}`, intentView(intent));
  }

  #card(number: string, email: string | null, kept: boolean): Card {
    const key = `${email} ${number} ${kept}`;
    const card = this.#cards.get(key) ?? {
      method: newGatewayId("pm_"),
      customer: kept ? newGatewayId("cus_") : null,
      number,
    };
    this.#cards.set(key, card);
    return card;
  }

  #intent(fields: Pick<Intent, "amount" | "currency" | "reference" | "status"> & Partial<Intent>): Intent {
    const intent: Intent = {
      ...{ id: newGatewayId("pi_"), metadata: {}, created: this.#now(), invoice: null, email: null },
      ...{ card: null, error: null, disputed: false, ...fields },
    };
    this.#intents.push(intent);
    return intent;
  }

  #startSession(fields: Fields): StandInReply {
    const [mode = "", reference = ""] = [fields.get("mode"), fields.get("client_reference_id")];
    const lines = linesOf(fields);
    if ("status" in lines) return lines;
    const wrong = sessionFault(fields, lines, this.#now());
    if (wrong) return wrong;
    const trialEnd = Number(fields.get("subscription_data[trial_end]") ?? 0);
    const charged = lines.filter((line) => trialEnd === 0 || line.months === null);
    const session: Session = {
      ...{ id: newGatewayId("cs_test_", 20), mode, reference, metadata: below(fields, "metadata") },
      amount: charged.reduce((sum, { amount }) => sum + amount, 0),
      currency: lines[0]?.currency ?? "",
      email: fields.get("customer_email") ?? null,
      ...{ created: this.#now(), status: "open", paid: false, intent: null, invoice: null },
    };
    this.#sessions.push(session);
    const url = this.#frame.payerUrl({
      title: "Stripe Checkout",
      lines: lines.map(({ name, amount, currency }) => `${name}: ${currency} ${amount / 100}`),
      outcomes: { paid: "Pay", failed: "Decline", cancelled: "Back" },
      fields: { card: "4242424242424242" },
      decide: async (outcome, { card = "" }) => {
        if (outcome === "cancelled" || session.status !== "open") return fields.get("cancel_url") ?? "";
        await this.#pay(session, fields, outcome === "paid" && card !== DECLINED ? card : null);
        return fields.get(session.paid ? "success_url" : "cancel_url") ?? "";
      },
    });
    return json(200, sessionView(session, url));
  }

  /** A declined payer stays on the page, and may try again there. */
  async #pay(session: Session, fields: Fields, number: string | null): Promise<void> {
    const { amount, currency, reference, email } = session;
    if (number === null) {
      const error = CHARGE_ERRORS["declined"] ?? {};
      const metadata = below(fields, "payment_intent_data[metadata]");
      const intent = this.#intent({
        amount,
        currency,
        reference,
        email,
        error,
        metadata,
        status: "requires_payment_method",
      });
      return this.#tellIntent(intent);
    }
    const kept =
      session.mode === "subscription" || fields.get("payment_intent_data[setup_future_usage]") === "off_session";
    const card = this.#card(number, email, kept);
    Object.assign(session, { status: "complete", paid: true });
    if (session.mode === "subscription") session.invoice = this.#begin(session, fields, card);
    else
      session.intent = this.#intent({
        amount,
        currency,
        reference,
        email,
        card,
        metadata: below(fields, "payment_intent_data[metadata]"),
        status: "succeeded",
      });
    const news = [() => this.#tell("checkout.session.completed", sessionView(session, null))];
    const { invoice, intent } = session;
    if (invoice) news.push(() => this.#tell("invoice.paid", invoiceView(invoice)));
    if (intent) news.push(() => this.#tellIntent(intent));
    if (this.#sessions.length % 2 === 0) news.reverse(); // The order is not fixed.
    for (const tell of news) await tell();
  }

  #begin(session: Session, fields: Fields, card: Card): Invoice {
    const lines = linesOf(fields);
    const regular = "status" in lines ? undefined : lines.find(({ months }) => months !== null);
    const months = regular?.months ?? 1;
    const trialEnd = Number(fields.get("subscription_data[trial_end]") ?? 0);
    const subscription: Subscription = {
      ...{ id: newGatewayId("sub_"), item: newGatewayId("si_"), product: newGatewayId("prod_") },
      ...{ currency: session.currency, months, card, email: session.email, reference: session.reference },
      metadata: below(fields, "subscription_data[metadata]"),
      amount: regular?.amount ?? 0,
      status: trialEnd ? "trialing" : "active",
      paused: false,
      periodEnd: trialEnd || later(unix(this.#now()), months),
    };
    this.#subscriptions.push(subscription);
    return this.#bill(subscription, "subscription_create", session.amount, true);
  }

  #bill(subscription: Subscription, reason: Invoice["reason"], amount: number, paid: boolean): Invoice {
    const invoice: Invoice = {
      ...{ id: newGatewayId("in_"), subscription, reason, amount, created: this.#now() },
      ...{ intent: null, status: paid ? "paid" : "open" },
    };
    const { currency, card, reference, email } = subscription;
    invoice.intent = this.#intent({
      ...{ amount, currency, card, reference, email, invoice: invoice.id },
      status: paid ? "succeeded" : "requires_payment_method",
      error: paid ? null : (CHARGE_ERRORS["declined"] ?? null),
    });
    this.#invoices.push(invoice);
    return invoice;
  }

  #charge(fields: Fields): StandInReply {
    const [amount, currency = ""] = [amountIn(fields.get("amount")), fields.get("currency")];
    const metadata = below(fields, "metadata");
    const wrong = chargeFault(fields);
    if (wrong || amount === null) return wrong ?? invalid("Invalid integer", "amount");
    const card = [...this.#cards.values()].find(({ method }) => method === fields.get("payment_method"));
    if (!card || card.customer === null || card.customer !== fields.get("customer")) return missing("PaymentMethod");
    const error = CHARGE_ERRORS[this.#nextCharge] ?? null;
    if (error) this.#nextCharge = "paid";
    const reference = metadata["reference"] ?? "";
    const status = error ? "requires_payment_method" : "succeeded";
    const intent = this.#intent({ amount, currency, card, metadata, reference, error, status });
    if (!error) return json(200, intentView(intent, expandedBy(fields)));
    return failed(402, "card_error", String(error["message"]), { ...error, payment_intent: intentView(intent) });
  }

  #update(subscription: Subscription, fields: Fields): StandInReply {
    const pause = fields.get("pause_collection");
    const wrong = updateFault(fields, subscription, this.#now());
    if (wrong) return wrong;
    const amount = fields.get("items[0][price_data][unit_amount]");
    const trialEnd = fields.get("trial_end");
    if (amount !== undefined) subscription.amount = Number(amount);
    if (trialEnd !== undefined) Object.assign(subscription, { periodEnd: Number(trialEnd), status: "trialing" });
    if (fields.has("pause_collection[behavior]")) subscription.paused = true;
    if (pause === "") subscription.paused = false;
    void this.#tell("customer.subscription.updated", subscriptionView(subscription));
    return json(200, subscriptionView(subscription));
  }

  #cancel(subscription: Subscription): StandInReply {
    subscription.status = "canceled";
    void this.#tell("customer.subscription.deleted", subscriptionView(subscription));
    return json(200, subscriptionView(subscription));
  }

  #refund(fields: Fields): StandInReply {
    const intent = this.#intents.find(({ id }) => id === fields.get("payment_intent"));
    if (!intent) return missing("payment_intent");
    const wrong = refundFault(fields, intent, this.#refunded(intent));
    if (wrong) return wrong;
    const refund: Refund = {
      id: newGatewayId("re_"),
      intent,
      amount: amountIn(fields.get("amount")) ?? intent.amount,
      metadata: below(fields, "metadata"),
      created: this.#now(),
      status: "pending",
    };
    this.#refunds.push(refund);
    return json(200, refundView(refund));
  }

  #showRefund(id: string, fields: Fields): StandInReply {
    if (id === "") {
      const made = this.#refunds.filter(({ intent }) => intent.id === fields.get("payment_intent"));
      return json(200, { object: "list", data: made.map(refundView), has_more: false });
    }
    const found = this.#refunds.find((one) => one.id === id);
    return found ? json(200, refundView(found)) : missing("refund");
  }
}

export const standIn: StandInProtocol = {
  type: "stripe",
  credentials: { secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET },
  wrongCredentials: { secretKey: "sk_test_wrong", webhookSecret: WEBHOOK_SECRET },
  refundCall: "POST /v1/refunds",
  open: (frame) => new Gateway(frame),
};
