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
  UNKNOWN,
} from "../stand-in.ts";
import {
  type Batch,
  balance,
  centsOf,
  dayOf,
  type Line,
  type Mandate,
  mandateResult,
  NEW_LINE,
  type PayNow,
  resultOf,
} from "./books.ts";
import {
  CREDENTIALS,
  type Debit,
  escaped,
  formFault,
  type MethodCall,
  readEnvelope,
  readFile,
  resultEnvelope,
} from "./protocol.ts";

/* A stand-in for Netcash, after api.netcash.co.za: the SOAP services, Pay Now and its status query. */

type Outcome = "paid" | "declined" | "hard" | "unclear";

class Gateway implements OpenProtocol {
  readonly payNow: PayNow[] = [];
  readonly batches: Batch[] = [];
  readonly mandates: Mandate[] = [];
  readonly lines: Line[] = [];
  /** How often each file that is prepared was asked for. */
  readonly asked = new Map<string, number>();
  readonly ended = new Map<string, StandInPayment["status"]>();
  readonly charges: Outcome[] = [];
  readonly #frame: StandInFrame;
  /** Set in the account's own pages. */
  #notifyUrl: string | null = null;

  constructor(frame: StandInFrame) {
    this.#frame = frame;
  }

  answer(request: StandInRequest): StandInReply | Promise<StandInReply> {
    const { method, path } = request;
    if (method === "POST" && path === "/site/paynow.aspx") return this.#page(request);
    if (method === "GET" && path === "/PayNow/TransactionStatus/Check") return this.#check(request);
    if (method !== "POST" || !/^\/NIWS\/NIWS_(NIF|Validation)\.svc$/.test(path)) return UNKNOWN;
    const call = readEnvelope(request.headers, request.text);
    if (typeof call === "string") return plain(500, `<s:Fault>${escaped(call)}</s:Fault>`);
    const result = this.#call(call);
    return {
      status: 200,
      headers: { "content-type": "text/xml; charset=utf-8" },
      body: result.startsWith("<") ? result : resultEnvelope(call.method, result),
    };
  }

  payments(): readonly StandInPayment[] {
    const paid = this.payNow.map(({ fields, amount, accepted, reversed, reason }) => ({
      reference: fields["p2"] ?? "",
      status: reversed ? "reversed" : accepted ? "paid" : reason === "" ? "pending" : "failed",
      amount,
      refunded: 0,
    })) satisfies StandInPayment[];
    const debited = this.batches.flatMap(({ debits, status }) =>
      debits.map((debit) => ({
        reference: debit["301"] ?? "",
        status: this.ended.get(debit["301"] ?? "") ?? (status === 0 ? "failed" : "pending"),
        amount: Number(debit["162"]),
        refunded: 0,
      })),
    ) satisfies StandInPayment[];
    return [...paid, ...debited];
  }

  readonly acts = {
    endsDebit: async (reference: string, outcome: "paid" | "unpaid") => {
      const { batch, debit } = this.#debited(reference);
      this.#line(batch, debit, "collected");
      if (outcome === "unpaid") this.#line(batch, debit, "02");
      this.ended.set(reference, outcome === "paid" ? "paid" : "failed");
    },
    standsOnStatement: (reference: string, what: "collected" | "returned") => {
      const { batch, debit } = this.#debited(reference);
      this.#line(batch, debit, what === "collected" ? what : "02");
      this.ended.set(reference, what === "collected" ? "paid" : "failed");
    },
    reverses: async (reference: string) => {
      const payment = this.payNow.find(({ fields }) => fields["p2"] === reference);
      if (payment) {
        payment.accepted = false;
        payment.reversed = true;
        payment.reason = "Recalled by the bank";
        return this.#tell(payment);
      }
      const { batch, debit } = this.#debited(reference);
      this.#line(batch, debit, "30", this.#today());
      this.ended.set(reference, "reversed");
    },
    decidesMandate: async (accountReference: string, outcome: "accepted" | "rejected") => {
      const mandate = this.mandates.find((one) => one.accountReference === accountReference);
      if (!mandate) throw new Error("there is no such mandate");
      mandate.status = outcome === "accepted" ? 6 : 5;
      const accepted = outcome === "accepted";
      await this.#post(`mandate ${accountReference} ${outcome}`, () => ({
        MandateSuccessful: accepted ? "1" : "0",
        ReasonForDecline: accepted ? "" : "Declined by the account holder",
        AccountRef: accountReference,
        MandateStatus: accepted ? "Accepted" : "Declined",
        MandateReferenceNumber: accountReference,
        IsDeclined: accepted ? "False" : "True",
        BankAccountNo: "******6700",
        Field1: accountReference,
      }));
    },
    notifyAt: (url: string) => {
      this.#notifyUrl = url;
    },
    nextCharges: (outcome: Outcome) => void this.charges.push(outcome),
  };

  #today(): string {
    return new Date(this.#frame.now().getTime() + 2 * 3600_000).toISOString().slice(0, 10);
  }

  #debited(reference: string): { readonly batch: Batch; readonly debit: Debit } {
    for (const batch of this.batches) {
      const debit = batch.debits.find((one) => one["301"] === reference);
      if (debit && batch.status === 2) return { batch, debit };
    }
    throw new Error(`no authorised batch has the debit ${reference}`);
  }

  /** A line of a statement: collected on the action date, or returned under a code. */
  #line(batch: Batch, debit: Debit, what: string, day = dayOf(batch.actionDate)): void {
    const card = debit["131"] === "2";
    const type =
      what === "collected" ? `${batch.instruction === "TwoDay" ? "T" : "S"}D${card ? "C" : "D"}` : card ? "DCU" : "DRU";
    const description = what === "collected" ? "Debit order" : `Debit order unpaid - Code: ${what}`;
    this.#put(day, type, description, Number(debit["162"]), what === "collected" ? "+" : "-", debit["301"] ?? "");
  }

  #put(day: string, type: string, description: string, amount: number, sign: string, extra1: string): void {
    const id = String(800_000 + this.lines.length);
    this.lines.push({
      day,
      text: [day, type, id, description, `${randText(amount)}00`, sign, "0", extra1, "", "", "Debtors"].join("\t"),
    });
  }

  #call({ method, args }: MethodCall): string {
    const key = /MerchantStatement/.test(method) ? CREDENTIALS.accountKey : CREDENTIALS.debitOrderKey;
    if (args["ServiceKey"] !== key)
      return method === "AddMandate" ? mandateResult("100", "", ["Authentication"]) : "100";
    switch (method) {
      case "BatchFileUpload":
        return this.#upload(args["File"] ?? "");
      case "RequestFileUploadReport":
        return this.#report(args["FileToken"] ?? "");
      case "RetrieveBatchStatus":
        return this.#list();
      case "RequestBatchAuthorise":
        return this.#authorise(args["BatchIndicator"] ?? "");
      case "RequestMerchantStatement":
        return /^\d{8}$/.test(args["FromActionDate"] ?? "") ? `${args["FromActionDate"]}.${newGatewayId()}` : "101";
      case "RetrieveMerchantStatement":
        return this.#statement(args["PollingId"] ?? "");
      case "AddMandate":
        return this.#addMandate(args);
      case "RequestMandateData":
        return newGatewayId("mandates.");
      case "RetrieveMandateData":
        return this.#mandateFile(args["FileToken"] ?? "");
      case "ValidateBankAccount":
        return args["AccountNumber"]?.endsWith("05") ? "2" : "0";
      default:
        return "200";
    }
  }

  #upload(text: string): string {
    const file = readFile(text, CREDENTIALS.debitOrderKey);
    if (typeof file === "number") return String(file);
    const { name, instruction, actionDate, debits, errors, faults } = file;
    const charge = debits[0]?.["131"] === "2" ? this.charges.shift() : undefined;
    const refused =
      charge === "hard" || charge === "declined"
        ? debits.map((debit, at) => ({
            record: at + 3,
            debit,
            message: charge === "hard" ? "Card token has expired" : "Amount is above the limit",
          }))
        : [];
    const allFaults = [...faults, ...refused];
    const rejected = errors.length > 0 || (debits.length > 0 && allFaults.length === debits.length);
    const total = debits.reduce((sum, debit) => sum + Number(debit["162"]), 0);
    const status = rejected ? "UNSUCCESSFUL" : allFaults.length > 0 ? "SUCCESSFUL WITH ERRORS" : "SUCCESSFUL";
    const report = [
      ["###BEGIN", name, status, "08:15 AM", `R${randText(total)}`, actionDate].join("\t"),
      ...allFaults.map(({ record, debit, message }) =>
        [`Acc Ref :${debit["101"]}`, `Line :${record}`, message, debit["301"]].join("\t"),
      ),
      ...errors.map((error) => [`###ERROR: ${error}`, `R${randText(total)}`, actionDate].join("\t")),
      ["###END", "08:15 AM"].join("\t"),
    ].join(NEW_LINE);
    const token = `20000000.${2_550_236_530 + this.batches.length}.0483.2.2`;
    const kept = debits.filter((debit) => !allFaults.some((fault) => fault.debit === debit));
    this.batches.push({
      ...{ id: crypto.randomUUID(), token, name, instruction, actionDate, report },
      debits: rejected ? debits : kept,
      status: rejected ? 0 : 1,
      asked: 0,
    });
    return token;
  }

  /** Not ready when it is asked for the first time. */
  #report(token: string): string {
    const batch = this.batches.find((one) => one.token === token);
    if (!batch) return "102";
    return batch.asked++ === 0 ? "FILE NOT READY" : batch.report;
  }

  #list(): string {
    return this.batches
      .filter(({ status }) => status !== 0)
      .slice(-10)
      .map(({ id, name, status, debits }) => {
        const value = debits.reduce((sum, debit) => sum + Number(debit["162"]), 0);
        return [
          CREDENTIALS.debitOrderKey,
          id,
          name,
          status,
          debits.length,
          randText(value),
          "2026-01-01",
          "1900-01-01",
          "1900-01-01",
        ].join("\t");
      })
      .join(NEW_LINE);
  }

  #authorise(id: string): string {
    const batch = this.batches.find((one) => one.id === id && one.status !== 0);
    if (!batch) return "202";
    batch.status = 2;
    return "000";
  }

  /** Not ready when it is asked for the first time. */
  #statement(id: string): string {
    const day = dayOf(id.split(".")[0] ?? "");
    if (this.#first(id)) return "FILE NOT READY";
    const lines = this.lines.filter((line) => line.day === day).map(({ text }) => text);
    if (lines.length === 0) return "102";
    return [balance(day, "OBL", "Opening Balance"), ...lines, balance(day, "CBL", "Closing Balance")].join(NEW_LINE);
  }

  #first(file: string): boolean {
    const asked = this.asked.get(file) ?? 0;
    this.asked.set(file, asked + 1);
    return asked === 0;
  }

  #addMandate(args: Readonly<Record<string, string>>): string {
    const { AccountReference: accountReference = "", MandateName: name = "", MandateAmount: amount = "" } = args;
    const wrong = [
      [/^.{2,22}$/, accountReference, "AccountReference"],
      [/^\d+\.\d{2}$/, amount, "MandateAmount"],
      [
        /^(Monthly|Bimonthly|ThreeMonthly|SixMonthly|Annually|Weekly|Biweekly)$/,
        args["DebitFrequency"],
        "DebitFrequency",
      ],
      [/^([1-9]|1[0-2])$/, args["CommencementMonth"], "CommencementMonth"],
      [/^([1-9]|[12]\d|30|LDOM)$/, args["CommencementDay"], "CommencementDay"],
      [/^\d{8}$/, args["AgreementDate"], "AgreementDate"],
      [/^(Current|Savings|Transmission)$/, args["BankAccountType"], "BankAccountType"],
      [/^\d{6}$/, args["BranchCode"], "BranchCode"],
      [/^(true|false)$/, args["IncludeDebiCheck"], "IncludeDebiCheck"],
    ].find(([pattern, value]) => !(pattern as RegExp).test(String(value ?? "")));
    if (wrong) return mandateResult("203", "", [`${wrong[2]} is not valid`]);
    if (args["BankAccountNumber"]?.endsWith("09")) return mandateResult("203", "", ["The bank account is not valid"]);
    if (!this.mandates.some((one) => one.accountReference === accountReference))
      this.mandates.push({ accountReference, name, amount, status: 2 });
    return mandateResult("000", this.#frame.payerUrl(this.#mandatePage(accountReference)), []);
  }

  #mandatePage(accountReference: string) {
    return {
      title: "Netcash e-mandate",
      lines: [`Mandate ${accountReference}`],
      outcomes: { accepted: "Sign", rejected: "Decline" },
      decide: async (outcome: string) => {
        await this.acts.decidesMandate(accountReference, outcome === "accepted" ? "accepted" : "rejected");
        return `${this.#frame.url}/signed`;
      },
    };
  }

  #mandateFile(token: string): string {
    if (this.#first(token)) return "FILE NOT READY";
    return [
      ["###BEGIN", this.#today()].join("\t"),
      ...this.mandates.map(({ status, accountReference, name, amount }) =>
        [status, accountReference, name, amount].join("\t"),
      ),
      "###END",
    ].join(NEW_LINE);
  }

  #page({ text }: StandInRequest): StandInReply {
    const pairs = pairsOf(text);
    const fault = formFault(pairs, new Set(this.payNow.map(({ fields }) => fields["p2"] ?? "")));
    if (fault) return plain(400, fault);
    const fields = Object.fromEntries(pairs);
    const payment: PayNow = {
      ...{ fields, trace: newGatewayId("", 12).toUpperCase(), amount: centsOf(fields["p4"]) },
      ...{ accepted: false, reversed: false, reason: "", card: null },
    };
    this.payNow.push(payment);
    return this.#frame.payerPage({
      title: "Netcash Pay Now",
      lines: [`${fields["p3"]}: R ${randText(payment.amount)}`],
      outcomes: { paid: "Pay by card", failed: "Decline", cancelled: "Cancel" },
      fields: { card: "4242424242424242" },
      decide: (outcome, given) => this.#decide(payment, outcome, given["card"] ?? ""),
    });
  }

  async #decide(payment: PayNow, outcome: string, card: string): Promise<string> {
    payment.accepted = outcome === "paid";
    payment.reason =
      outcome === "paid" ? "Success" : outcome === "cancelled" ? "Cancelled by the payer" : "Declined by the bank";
    if (payment.accepted && payment.fields["m14"] === "1")
      payment.card = {
        ccToken: crypto.randomUUID(),
        ccHolder: "T Nkosi",
        ccMasked: `${card.slice(0, 6)}******${card.slice(-4)}`,
        ccExpiry: "082031",
      };
    if (payment.accepted)
      this.#put(this.#today(), "PNC", "Pay Now credit card payment", payment.amount, "+", payment.fields["m4"] ?? "");
    await this.#tell(payment);
    const back = this.#notifyUrl?.replace("/api/webhooks/", "/gateway-return/") ?? `${this.#frame.url}/returned`;
    return `${back}${back.includes("?") ? "&" : "?"}${new URLSearchParams(resultOf(payment, payment.amount))}`;
  }

  #tell(now: PayNow): Promise<void> {
    const payment = { ...now };
    const about = `payment ${payment.fields["p2"]} ${payment.accepted ? "accepted" : payment.reason}`;
    return this.#post(about, ({ amount = payment.amount }) => resultOf(payment, amount));
  }

  /** To the address that the merchant has set in the account. */
  async #post(about: string, fields: (changed: { amount?: number }) => Record<string, string>): Promise<void> {
    const url = this.#notifyUrl;
    if (url === null) return;
    await this.#frame.send({
      ...{ about, url },
      compose: (changed) => ({
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields(changed)).toString(),
      }),
    });
  }

  #check({ query }: StandInRequest): StandInReply {
    const payment = this.payNow.find(({ trace, reason }) => trace === query.get("RequestTrace") && reason !== "");
    return payment ? json(200, resultOf(payment, payment.amount)) : UNKNOWN;
  }
}

/** Netcash, with its SOAP services and Pay Now. */
export const standIn: StandInProtocol = {
  type: "netcash",
  credentials: CREDENTIALS,
  signs: false,
  wrongCredentials: { ...CREDENTIALS, debitOrderKey: "00000000-0000-4000-8000-000000000000" },
  open: (frame) => new Gateway(frame),
};
