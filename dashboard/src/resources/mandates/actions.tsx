import { Checkbox, Text } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import { type AddOpened, editing, MoneyInput, WholeInput } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { CopyId } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";

type Mandate = Shape<"Mandate">;
type Patch = { amount?: number; debitDay?: number; status?: "paused" | "active" | "cancelled" };

const TOUCHES = ["/mandates", "/debit-batches", "/customers", "/emails", "/timeline"];

const pathOf = ({ id }: Mandate) => ({ path: { id } });
const patch = (mandate: Mandate, edit: AddOpened, body: Patch) =>
  got(api.PATCH("/mandates/{id}", { params: pathOf(mandate), body: edit(body) }));
const each = ({ amount, currency }: Mandate): string => formatMoney(amount, currency);

/** The actions on a mandate in its present state. */
export function Actions({ mandate }: { readonly mandate: Mandate }) {
  const { status, stage, authorityLostAt } = mandate;
  return (
    <>
      {stage === "awaiting_approval" && <Approve mandate={mandate} />}
      {(stage === "awaiting_signature" || (authorityLostAt && status === "paused")) && <SignLink mandate={mandate} />}
      {status === "pending" && <Reject mandate={mandate} />}
      {status === "active" && <Pause mandate={mandate} />}
      {status === "paused" && !authorityLostAt && <Resume mandate={mandate} />}
      {(status === "active" || status === "paused") && <Change mandate={mandate} />}
      {status !== "cancelled" && <Cancel mandate={mandate} />}
    </>
  );
}

const Approve = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Approve"
    title={`Approve ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() =>
      `${mandate.bank.accountHolder} is debited ${each(mandate)} ${mandate.frequency}, on day ${mandate.debitDay}, from the account ending in ${mandate.bank.accountNumberLast4}. The first debit goes into the next batch.`
    }
    send={async ({ reason }) => {
      const approved = await got(api.POST("/mandates/{id}/approve", { params: pathOf(mandate) }));
      await noteReason(mandate.id, "Approved", reason);
      return approved;
    }}
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} approved`}
  />
);

const SignLink = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Send for signature"
    title={`An agreement for ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{ email: mandate.customer.email !== null }}
    fields={(form) => (
      <Checkbox
        label={`Email it to ${mandate.customer.email ?? "the customer, who has no address"}`}
        disabled={mandate.customer.email === null}
        {...form.getInputProps("email", { type: "checkbox" })}
      />
    )}
    what={({ email }) =>
      `A new agreement over ${each(mandate)} ${mandate.frequency} is made. An earlier link that is not signed no longer works. ${email ? "The customer gets the link by mail." : "You give the customer the link yourself."}`
    }
    send={({ email }) => got(api.POST("/mandates/{id}/agreement", { params: pathOf(mandate), body: { email } }))}
    touches={TOUCHES}
    said={({ emailed }) => (emailed ? "Agreement sent" : "Agreement created")}
    outcome={({ signUrl, expiresAt }) => (
      <>
        <Text size="sm" mb="xs">
          The customer signs here until {formatDay(expiresAt)}. The link is shown this once.
        </Text>
        <CopyId id={signUrl} label="Copy the sign link" />
      </>
    )}
    button={{ variant: mandate.agreement.latest === null ? "filled" : "default" }}
  />
);

const Reject = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Reject"
    title={`Reject ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() => "The mandate is never debited. This cannot be undone; the customer would sign a new one."}
    send={({ reason }) =>
      got(api.POST("/mandates/{id}/reject", { params: pathOf(mandate), body: { reason: reason.trim() } }))
    }
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} rejected`}
  />
);

const Pause = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Pause"
    title={`Pause ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{}}
    what={() => "Nothing is debited until it is resumed. Debits in batches that are not sent yet are taken out."}
    edits={editing(mandate, () => ({}))}
    send={(_values, _keyFor, edit) => patch(mandate, edit, { status: "paused" })}
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} paused`}
    button={{ variant: "default" }}
  />
);

const Resume = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Resume"
    title={`Resume ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{}}
    what={() =>
      `${each(mandate)} is debited again from the next debit day on. Days that have passed are not made up for.`
    }
    edits={editing(mandate, () => ({}))}
    send={(_values, _keyFor, edit) => patch(mandate, edit, { status: "active" })}
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} active again`}
  />
);

const termsOf = ({ amount, debitDay }: Mandate): Record<"amount" | "debitDay", number | string> => ({
  amount,
  debitDay,
});

const Change = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Edit"
    title={`Change ${mandate.accountReference}`}
    permission="mandates:write"
    initial={termsOf(mandate)}
    check={{ amount: (amount: number | string) => (Number(amount) > 0 ? null : "Enter the amount of each debit") }}
    fields={(form) => (
      <>
        <MoneyInput label="Amount" currency={mandate.currency} {...form.getInputProps("amount")} />
        <WholeInput label="Day of the month" max={31} {...form.getInputProps("debitDay")} />
      </>
    )}
    what={({ amount, debitDay }) =>
      `From the next debit on: ${formatMoney(Number(amount) || 0, mandate.currency)} on day ${debitDay}. Make sure that what the customer signed allows it.`
    }
    edits={editing(mandate, termsOf)}
    send={({ amount, debitDay }, _keyFor, edit) =>
      patch(mandate, edit, {
        ...(Number(amount) === mandate.amount && Number(debitDay) !== mandate.debitDay
          ? {}
          : { amount: Number(amount) }),
        ...(Number(debitDay) === mandate.debitDay ? {} : { debitDay: Number(debitDay) }),
      })
    }
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} updated`}
    button={{ variant: "default" }}
  />
);

const Cancel = ({ mandate }: { readonly mandate: Mandate }) => (
  <MoneyAction
    label="Cancel"
    title={`Cancel ${mandate.accountReference}`}
    permission="mandates:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() => "Nothing is debited any more. This cannot be undone; the customer would sign a new mandate."}
    edits={editing(mandate, () => ({ reason: "" }))}
    send={async ({ reason }, _keyFor, edit) => {
      const cancelled = await patch(mandate, edit, { status: "cancelled" });
      await noteReason(mandate.id, "Cancelled", reason);
      return cancelled;
    }}
    touches={TOUCHES}
    said={({ accountReference }) => `${accountReference} cancelled`}
  />
);
