import { Checkbox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { DateInput } from "../../components/date-input.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { formatDay, isDate } from "../../lib/time.ts";
import { counted } from "../../lib/words.ts";

/** The lists that are read again after a change of a batch. */
export const TOUCHES = ["/debit-batches", "/mandates", "/transactions", "/timeline"];

/** Makes batches of the debits that are due, before the daily work does. */
export function MakeBatch() {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Create debit batch"
      title="Create debit batch"
      permission="mandates:write"
      initial={{ actionDate: "" }}
      check={{ actionDate: (date: string) => (isDate(date) ? null : "Choose a day.") }}
      fields={(form) => (
        <DateInput
          label="Due by"
          description="A day on which banks do not work is moved to the next one."
          data-autofocus
          {...form.getInputProps("actionDate")}
        />
      )}
      what={({ actionDate }) =>
        isDate(actionDate)
          ? `Every debit of an active mandate that is due by ${formatDay(actionDate)} is put into a batch. Nothing is sent to the bank until the batch is submitted, by you or by the daily work.`
          : "Nothing, until a day is chosen."
      }
      send={({ actionDate }, keyFor) => {
        const body = { actionDate };
        return got(api.POST("/debit-batches", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={TOUCHES}
      said={({ id, count, amount, currency }) => {
        void navigate({ to: pathTo("debit-batches", id) });
        return `Batch created: ${counted(count, "debit")}, ${formatMoney(amount, currency)}.`;
      }}
    />
  );
}

/** The actions on a batch in its present state. */
export function Actions({ batch }: { readonly batch: Shape<"DebitBatch"> }) {
  if (batch.status === "submitting") return <SendAgain batch={batch} />;
  if (batch.status !== "open") return null;
  const { expectedUnpaid, unpaidPercent, unpaidLimitPercent } = batch.forecast;
  return (
    <MoneyAction
      label="Submit"
      title={`Submit the batch for ${formatDay(batch.actionDate)}`}
      permission="mandates:write"
      initial={{}}
      what={() =>
        `${counted(batch.count, "debit")}, ${formatMoney(batch.amount, batch.currency)} together, go to the bank for ${formatDay(batch.actionDate)}.${batch.heldBack.count > 0 ? ` ${counted(batch.heldBack.count, "debit")}, ${formatMoney(batch.heldBack.amount, batch.currency)}, ${batch.heldBack.count === 1 ? "stays" : "stay"} behind until the next debit day.` : ""} About ${expectedUnpaid} of them may be returned unpaid, which makes ${unpaidPercent} % of 90 days; the limit is ${unpaidLimitPercent} %. This cannot be undone.`
      }
      send={() => got(api.POST("/debit-batches/{id}/submit", { params: { path: { id: batch.id } } }))}
      touches={TOUCHES}
      said={() => "Batch sent to the bank"}
    />
  );
}

/** For an upload without an answer; the API refuses it while the gateway may still have the batch. */
const SendAgain = ({ batch }: { readonly batch: Shape<"DebitBatch"> }) => (
  <MoneyAction
    label="Send again"
    title={`Send the batch for ${formatDay(batch.actionDate)} again`}
    permission="mandates:write"
    initial={{ looked: false }}
    check={{ looked: (looked) => (looked ? null : "Look for it there first.") }}
    fields={(form) => (
      <Checkbox
        label="I looked in the gateway's own pages, and the batch is not there"
        {...form.getInputProps("looked", { type: "checkbox" })}
      />
    )}
    danger
    what={() =>
      `The gateway is asked whether it has the batch. If not, ${counted(batch.count, "debit")}, ${formatMoney(batch.amount, batch.currency)} together, ${batch.count === 1 ? "goes" : "go"} to it again. If it has the batch all the same, customers are debited twice.`
    }
    send={() =>
      got(
        api.POST("/debit-batches/{id}/send-again", {
          params: { path: { id: batch.id } },
          body: { notAtGateway: true },
        }),
      )
    }
    touches={TOUCHES}
    said={() => "Batch sent to the gateway again"}
  />
);
