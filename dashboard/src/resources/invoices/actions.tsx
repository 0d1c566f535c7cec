import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { ApiFailure } from "../../api/failure.ts";
import { noteReason } from "../../api/notes.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay, useSaidSent } from "../../api/session.ts";
import { DateInput } from "../../components/date-input.tsx";
import { MoneyInput } from "../../components/form.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { SendInvoiceMessage } from "../../components/send-message.tsx";
import { formatMoney, leftOf } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { METHODS, type Method } from "../../lib/payment-methods.ts";
import { formatDay, toDateInput } from "../../lib/time.ts";
import { textOrNull } from "../../lib/values.ts";
import { words } from "../../lib/words.ts";
import { isDatedBefore } from "./bulk.ts";

type Invoice = Shape<"Invoice">;
const TOUCHES = ["/invoices", "/customers", "/emails", "/audit-log"];

/** The actions on an invoice in its present state. */
export function Actions({ invoice }: { readonly invoice: Invoice }) {
  const open = invoice.status !== "paid" && invoice.status !== "cancelled";
  return (
    <>
      {invoice.status === "draft" && (
        <Permitted to="invoices:write">
          <ButtonLink to={`${pathTo("invoices", invoice.id)}/edit`} variant="default">
            Edit
          </ButtonLink>
        </Permitted>
      )}
      {open && <Send invoice={invoice} />}
      {open && invoice.status !== "draft" && <SendInvoiceMessage id={invoice.id} />}
      {open && invoice.amountDue > 0 && <RecordPayment invoice={invoice} />}
      {open && invoice.status !== "draft" && <ApplyCredit invoice={invoice} />}
      {invoice.status !== "draft" && invoice.status !== "cancelled" && (
        <Permitted to="credit_notes:write">
          <ButtonLink to="/credit-notes/new" search={{ invoice: invoice.id }} variant="default">
            Credit note
          </ButtonLink>
        </Permitted>
      )}
      <Duplicate invoice={invoice} />
      {open && <Cancel invoice={invoice} />}
    </>
  );
}

function Send({ invoice }: { readonly invoice: Invoice }) {
  const saidSent = useSaidSent();
  const { now } = useActing().membership.clock;
  const isPast = isDatedBefore(invoice, now);
  return (
    <MoneyAction
      label={invoice.status === "draft" ? "Send" : "Send again"}
      title={`Send ${invoice.number}`}
      permission="invoices:write"
      initial={{ issueToday: isPast }}
      fields={(form) =>
        isPast && (
          <Checkbox
            label="Date it today"
            description={`It is dated ${formatDay(toDateInput(invoice.issueDate))}. Its due date leaves as long to pay.`}
            {...form.getInputProps("issueToday", { type: "checkbox" })}
          />
        )
      }
      what={({ issueToday }) => <WhatSendingDoes invoice={invoice} issueToday={issueToday} />}
      send={({ issueToday }, keyFor) => {
        const body = { issueToday };
        const params = { path: { id: invoice.id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/invoices/{id}/send", { params, body }));
      }}
      touches={TOUCHES}
      said={({ number }) => saidSent(number)}
      button={{ variant: invoice.status === "draft" ? "filled" : "default", disabled: invoice.customer.email === null }}
    />
  );
}

/** By the server's own dry run, with the credit that is used and whether mail leaves. */
function WhatSendingDoes({ invoice, issueToday }: { readonly invoice: Invoice; readonly issueToday: boolean }) {
  const { now } = useActing().membership.clock;
  const params = { path: { id: invoice.id }, query: { issueToday: String(issueToday) } };
  const preview = useRecord(["/invoices", invoice.id, "send-preview", String(issueToday)], () =>
    got(api.GET("/invoices/{id}/send-preview", { params })),
  );
  if (!preview.data)
    return preview.error instanceof ApiFailure && preview.error.status === 400
      ? preview.error.message
      : preview.error
        ? "It cannot be told now. Close this and try again."
        : "One moment …";
  const { to, mailEnabled, creditUsed, amountDue, canBePaidOnline, issueDate, dueDate } = preview.data;
  const dated = issueToday
    ? `It is dated ${formatDay(toDateInput(issueDate))}${dueDate ? ` and due on ${formatDay(toDateInput(dueDate))}` : ""}. `
    : "";
  const money = (amount: number) => formatMoney(amount, invoice.currency);
  const credit =
    creditUsed > 0
      ? `${money(creditUsed)} of the customer's credit is used first; ${money(amountDue)} is then due. `
      : "";
  const link = canBePaidOnline && amountDue > 0 ? ` and a link to pay ${money(amountDue)}` : "";
  const mail = mailEnabled
    ? `${to ?? "The customer"} gets an email with the invoice as PDF${link}.`
    : "The invoice is issued, but not emailed: email is not set up on this server. The text stands under Emails.";
  const late =
    invoice.status === "draft" && dueDate !== null && toDateInput(dueDate) < toDateInput(now)
      ? ` It was due on ${formatDay(toDateInput(dueDate))}, so it is overdue at once: ${invoice.charge === undefined ? "date it today, or edit it" : "edit it"} first to change its dates.`
      : "";
  return `${dated}${credit}${mail}${late}`;
}

function Duplicate({ invoice }: { readonly invoice: Invoice }) {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Duplicate"
      title={`Duplicate ${invoice.number}`}
      permission="invoices:write"
      initial={{}}
      what={() =>
        `A draft with the customer, lines, discounts and notes of ${invoice.number} is created, dated today. Nothing is sent.`
      }
      send={async (_values, keyFor) => {
        const params = { path: { id: invoice.id }, header: { "Idempotency-Key": keyFor(null) } };
        const made = await got(api.POST("/invoices/{id}/duplicate", { params }));
        void navigate({ to: pathTo("invoices", made.id) });
        return made;
      }}
      touches={TOUCHES}
      said={({ number }) => `${number} created`}
      button={{ variant: "default" }}
    />
  );
}

const RecordPayment = ({ invoice }: { readonly invoice: Invoice }) => (
  <MoneyAction
    label="Record payment"
    title={`Record a payment of ${invoice.number}`}
    permission="transactions:write"
    initial={{
      amount: invoice.amountDue as number | string,
      method: "eft" as Method,
      reference: "",
      received: "",
      reason: "",
    }}
    reason="optional"
    check={{ amount: (value: number | string) => (Number(value) > 0 ? null : "Enter the amount that was paid") }}
    fields={(form) => (
      <>
        <MoneyInput label="Amount" currency={invoice.currency} data-autofocus {...form.getInputProps("amount")} />
        <NativeSelect
          label="Payment method"
          data={METHODS.map((method) => ({ value: method, label: method === "eft" ? "EFT" : words(method) }))}
          {...form.getInputProps("method")}
        />
        <DateInput
          label="Date received"
          description="Default: today. The day on which the money came."
          {...form.getInputProps("received")}
        />
        <TextInput label="Reference" description="As on the bank statement." {...form.getInputProps("reference")} />
      </>
    )}
    what={({ amount }) => outcome(invoice, Number(amount))}
    send={async ({ amount, method, reference, received, reason }, keyFor) => {
      const paidAt = received === "" ? {} : { paidAt: `${received}T00:00:00+02:00` };
      const body = { amount: Number(amount), method, reference: textOrNull(reference), ...paidAt };
      const params = { path: { id: invoice.id }, header: { "Idempotency-Key": keyFor(body) } };
      const recorded = await got(api.POST("/invoices/{id}/payments", { params, body }));
      await noteReason(invoice.id, "Payment recorded", reason);
      return recorded;
    }}
    touches={TOUCHES}
    said={({ number, amountDue, currency }) =>
      amountDue > 0
        ? `Payment recorded. ${formatMoney(amountDue, currency)} of ${number} is still due`
        : `${number} paid`
    }
  />
);

/** Shown where the customer has credit of an overpayment or a cancelled invoice. */
function ApplyCredit({ invoice }: { readonly invoice: Invoice }) {
  const may = useMay();
  const { id: customer } = invoice.customer;
  const query = { currency: invoice.currency };
  const credit = useRecord(
    ["/customers", customer, "payable-credit", invoice.currency],
    () => got(api.GET("/customers/{id}/payable-credit", { params: { path: { id: customer }, query } })),
    may("refunds:read") && may("transactions:write"),
  );
  const available = credit.data?.amount ?? 0;
  if (available <= 0) return null;
  const money = (amount: number) => formatMoney(amount, invoice.currency);
  const most = Math.min(available, invoice.amountDue);
  return (
    <MoneyAction
      label="Apply credit"
      title={`Apply credit to ${invoice.number}`}
      permission="transactions:write"
      initial={{ amount: most as number | string }}
      check={{
        amount: (value: number | string) =>
          Number(value) > 0 && Number(value) <= most ? null : `Enter an amount of up to ${money(most)}`,
      }}
      fields={(form) => (
        <MoneyInput label="Amount" currency={invoice.currency} data-autofocus {...form.getInputProps("amount")} />
      )}
      what={({ amount }) =>
        `The customer has ${money(available)} of credit that can be paid out. ${Number(amount) > 0 ? `${money(Number(amount))} of it pays ${invoice.number} instead; nobody is mailed.` : "Nothing of it is used, until an amount is given."}`
      }
      send={({ amount }, keyFor) => {
        const body = { amount: Number(amount) };
        const params = { path: { id: invoice.id }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/invoices/{id}/credit-applications", { params, body }));
      }}
      touches={TOUCHES}
      said={({ number, amountDue }) =>
        amountDue > 0 ? `Credit applied. ${money(amountDue)} of ${number} is still due` : `${number} paid`
      }
      button={{ variant: "default" }}
    />
  );
}

function outcome({ number, amountDue, currency }: Invoice, amount: number): string {
  const rest = leftOf(amountDue, amount);
  if (!(amount > 0)) return "Nothing, until an amount is given.";
  if (rest > 0) return `${number} is partly paid; ${formatMoney(rest, currency)} is still to pay.`;
  if (rest === 0) return `${number} is paid in full.`;
  return `${number} is paid in full, and ${formatMoney(-rest, currency)} more becomes the customer's credit.`;
}

const Cancel = ({ invoice }: { readonly invoice: Invoice }) => (
  <MoneyAction
    label="Cancel invoice"
    title={`Cancel ${invoice.number}`}
    permission="invoices:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() =>
      `${invoice.number} over ${formatMoney(invoice.total, invoice.currency)} is written off and can no longer be paid. ${invoice.amountPaid > 0 ? `What was paid, ${formatMoney(invoice.amountPaid, invoice.currency)}, becomes the customer's credit. ` : ""}This cannot be undone.`
    }
    send={({ reason }, keyFor) => {
      const body = { reason: reason.trim() };
      const params = { path: { id: invoice.id }, header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/invoices/{id}/cancel", { params, body }));
    }}
    touches={TOUCHES}
    said={({ number }) => `${number} cancelled`}
  />
);
