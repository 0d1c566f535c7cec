import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay } from "../../api/session.ts";
import { Card, LargeMoney } from "../../components/card.tsx";
import { TextLink } from "../../components/link.tsx";
import { Sparkline } from "../../components/plot.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { pageOf } from "../../components/tile.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { payerOf } from "../../lib/customer-name.ts";
import { wayOf } from "../../lib/methods.ts";
import { formatMoney } from "../../lib/money.ts";
import { MOVEMENT_KINDS, MOVEMENTS } from "../../lib/movements.ts";
import { YEAR } from "../../lib/periods.ts";
import { formatMonth, toDateInput } from "../../lib/time.ts";

type Payment = Shape<"Transaction">;

const SHOWN = "5";

/** The newest payments, whatever became of them. */
export function LatestPayments() {
  const may = useMay();
  const list = useList("/transactions", { limit: SHOWN, ...(may("customers:read") && { expand: "customer" }) });
  const payments = list.data?.data ?? [];
  if (payments.length === 0) return null;
  return (
    <Card title="Latest payments" wide aside={<TextLink to="/transactions">All payments</TextLink>}>
      <Rows
        label="Latest payments"
        items={payments}
        keyOf={({ reference }) => reference}
        none="No payments yet"
        columns={[
          { label: "Customer", cell: (payment: Payment) => <Payer payment={payment} /> },
          { label: "Payment method", cell: (payment: Payment) => wayOf(payment) },
          { label: "Date", cell: ({ paidAt, createdAt }: Payment) => <Time at={paidAt ?? createdAt} /> },
          { label: "Status", cell: ({ status }: Payment) => <Status of={status} /> },
          {
            label: "Amount",
            figures: true,
            cell: ({ amount, currency }: Payment) => <Money amount={amount} currency={currency} />,
          },
        ]}
      />
    </Card>
  );
}

const Payer = ({ payment }: { readonly payment: Payment }) => (
  <TextLink to={`/transactions/${payment.reference}`}>
    <Words of={payerOf(payment) ?? payment.description ?? payment.invoice?.number ?? payment.reference} />
  </TextLink>
);

/** Recurring revenue at the end of each of twelve months, with the way to their report. */
function YearOfRevenue({ currency }: { readonly currency: string }) {
  const { from, to } = YEAR.span(toDateInput(useActing().membership.clock.now));
  const query = { from, to, currency };
  const report = useRecord(["/subscription-movements", "report", query], () =>
    got(api.GET("/overview/revenue-report", { params: { query } })),
  );
  if (!report.data) return null;
  return (
    <>
      <Sparkline
        label={`Monthly recurring revenue at the end of each month from ${formatMonth(from)} to ${formatMonth(to)}.`}
        values={report.data.series.map(({ closing }) => closing.amount)}
      />
      <TextLink to="/reports/subscriptions">Subscription report</TextLink>
    </>
  );
}

/** What subscriptions bring in each month, and how that moved in the last thirty days. */
export const Recurring = ({ currency, mrr, movements }: Shape<"RecurringRevenue">) => (
  <Card title={currency === "ZAR" ? "Monthly recurring revenue" : `Monthly recurring revenue in ${currency}`}>
    <TextLink {...pageOf(mrr.list)} underline="never" className="tefo-plain">
      <LargeMoney amount={mrr.amount} currency={currency} />
    </TextLink>
    <YearOfRevenue currency={currency} />
    <ul className="tefo-tasks">
      <li>
        <TextLink {...pageOf(mrr.list)} underline="never" className="tefo-plain" data-count={mrr.count}>
          <span className="tefo-grow tefo-quiet">Subscriptions</span>
          <b className="tefo-figures">{mrr.count}</b>
        </TextLink>
      </li>
      {MOVEMENT_KINDS.filter((kind) => movements[kind].count > 0).map((kind) => (
        <li key={kind}>
          <TextLink
            {...pageOf(movements[kind].list)}
            underline="never"
            className="tefo-plain"
            data-count={movements[kind].count}
          >
            <span className="tefo-grow tefo-quiet">{MOVEMENTS[kind]} in the last 30 days</span>
            <b className="tefo-figures">{formatMoney(movements[kind].amount, currency)}</b>
          </TextLink>
        </li>
      ))}
    </ul>
  </Card>
);

/** What was collected by debit order, and can still be taken back. */
export const Reversible = ({ currency, safe, atRisk }: Shape<"MoneyAtRisk">) => (
  <Card title="Debit orders still reversible">
    <ul className="tefo-tasks">
      {[
        { label: "Still reversible", figure: atRisk },
        { label: "Final, of the last 90 days", figure: safe },
      ].map(({ label, figure }) => (
        <li key={label}>
          <TextLink {...pageOf(figure.list)} underline="never" className="tefo-plain">
            <span className="tefo-grow tefo-quiet">{label}</span>
            <span className="tefo-quiet tefo-figures">{figure.count}</span>
            <b className="tefo-figures">{formatMoney(figure.amount, currency)}</b>
          </TextLink>
        </li>
      ))}
    </ul>
  </Card>
);
