import { Group } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyInput } from "../../components/form.tsx";
import { Loaded } from "../../components/frame.tsx";
import { ButtonLink, TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { PayoutHold } from "../../components/payout-hold.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { formatMoney, leftOf } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";

/** The newest credit notes of a customer. */
export function CreditNotes({ customer, open }: { readonly customer: string; readonly open: boolean }) {
  const list = useList("/credit-notes", { customerId: customer, limit: "10" });
  return (
    <Section
      title="Credit notes"
      actions={
        open && (
          <Permitted to="credit_notes:write">
            <ButtonLink to="/credit-notes/new" search={{ customer }} size="xs" variant="default">
              New credit note
            </ButtonLink>
          </Permitted>
        )
      }
    >
      <Rows
        label="Credit notes"
        items={list.data?.data ?? []}
        keyOf={({ id }) => id}
        none="No credit note yet."
        columns={[
          { label: "Number", cell: ({ id, number }) => <TextLink to={pathTo("credit-notes", id)}>{number}</TextLink> },
          { label: "Status", cell: ({ status }) => <Status of={status} /> },
          { label: "Reason", cell: ({ reason }) => <Words of={reason} /> },
          {
            label: "Credit remaining",
            figures: true,
            cell: ({ remaining, currency }) => <Money amount={remaining} currency={currency} />,
          },
          {
            label: "Amount",
            figures: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
        ]}
      />
    </Section>
  );
}

/** The credit of a customer that was paid out, and that can be (interface 18.1). */
export function PaidOut({ customer, currency }: { readonly customer: string; readonly currency: string }) {
  const list = useList(`/customers/${customer}/credit-refunds` as "/customers/{id}/credit-refunds", { limit: "10" });
  const { data } = usePayable(customer, currency);
  const currencies = [...new Set([currency, ...(data?.currencies ?? [])])];
  return (
    <Section
      title="Credit refunded"
      actions={
        <Group gap="xs">
          {currencies.map((one) => (
            <PayOutIn key={one} customer={customer} currency={one} named={currencies.length > 1} />
          ))}
        </Group>
      }
    >
      {data?.heldUntil && <PayoutHold />}
      <Loaded of={list}>
        {(paidOut) => (
          <Rows
            label="Credit refunded"
            items={paidOut.data}
            keyOf={({ id }) => id}
            none="No credit refunded"
            columns={[
              { label: "Date", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { label: "Reason", cell: ({ reason }) => <Words of={reason} /> },
              { label: "Credit of", cell: ({ sources }) => <Sources of={sources} /> },
              {
                label: "Amount",
                figures: true,
                cell: ({ amount, currency: of }) => <Money amount={amount} currency={of} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

const Sources = ({ of }: { readonly of: Shape<"CreditRefund">["sources"] }) => (
  <Group gap="xs">
    {of.map(({ transactionReference, invoiceId, itemId }) => (
      <IdLink key={transactionReference ?? invoiceId ?? itemId} id={transactionReference ?? invoiceId ?? itemId} />
    ))}
  </Group>
);

const usePayable = (customer: string, currency: string) =>
  useRecord(["/customers", customer, "payable-credit", currency], () =>
    got(api.GET("/customers/{id}/payable-credit", { params: { path: { id: customer }, query: { currency } } })),
  );

function PayOutIn(props: { readonly customer: string; readonly currency: string; readonly named: boolean }) {
  const { data } = usePayable(props.customer, props.currency);
  return data && <PayOut payable={data} named={props.named} />;
}

/** `named`: there is credit in several currencies, so that the button names the currency. */
const PayOut = ({
  payable: { customerId, amount: most, currency, heldUntil },
  named,
}: {
  readonly payable: Shape<"PayableCredit">;
  readonly named: boolean;
}) =>
  most > 0 && heldUntil === null ? (
    <MoneyAction
      label={named ? `Refund credit in ${currency}` : "Refund credit"}
      title="Record credit that was paid out"
      permission="refunds:write"
      initial={{ amount: most as number | string, reason: "" }}
      check={{
        amount: (value) =>
          Number(value) > 0 && Number(value) <= most ? null : `Up to ${formatMoney(most, currency)}.`,
      }}
      reason="required"
      danger
      fields={(form) => (
        <MoneyInput
          label="Amount"
          description={`${formatMoney(most, currency)} can be paid out: what was overpaid, or paid on cancelled invoices.`}
          currency={currency}
          data-autofocus
          {...form.getInputProps("amount")}
        />
      )}
      what={({ amount }) => outcome(Number(amount), most, currency)}
      send={({ amount, reason }, keyFor) => {
        const body = { amount: Number(amount), currency, reason: reason.trim() };
        const params = { path: { id: customerId }, header: { "Idempotency-Key": keyFor(body) } };
        return got(api.POST("/customers/{id}/credit-refunds", { params, body }));
      }}
      touches={["/customers", "/transactions", "/audit-log"]}
      said={(made) => `${formatMoney(made.amount, made.currency)} is recorded as paid out.`}
      button={{ size: "xs" }}
    />
  ) : null;

function outcome(amount: number, most: number, currency: string): string {
  if (!(amount > 0)) return "Nothing, until an amount is given.";
  const rest = leftOf(most, amount);
  const way = `${formatMoney(amount, currency)} of the customer's credit is booked as paid out by you; no money moves by this.`;
  return rest > 0
    ? `${way} ${formatMoney(rest, currency)} can be paid out later.`
    : `${way} Nothing is left to pay out.`;
}
