import { DECLINE_REASONS } from "../../components/decline-reasons.ts";
import { BY_AMOUNT } from "../../components/list-sort.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { payerOf } from "../../lib/customer-name.ts";
import { paymentStatus } from "../../lib/disputes.ts";
import { wayOf } from "../../lib/methods.ts";
import { words } from "../../lib/words.ts";
import { FLAGS } from "./flags.ts";

const STATUSES = ["pending", "complete", "failed", "cancelled", "refunded", "partially_refunded"] as const;

/** The list of payments. */
export const Page = () => (
  <ResourceList
    resource="transactions"
    title="Payments"
    path="/transactions"
    expand={{ relation: "customer", permission: "customers:read" }}
    idOf={({ reference }) => reference}
    exported="/exports/transactions.csv"
    views={[
      { label: "Paid", filters: { status: "complete" } },
      { label: "Pending", filters: { status: "pending" } },
      { label: "Failed", filters: { status: "failed" } },
      { label: "Refunded", filters: { status: "refunded" } },
    ]}
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "flag", label: "Flag", options: Object.keys(FLAGS) },
      {
        name: "declineReason",
        label: "Declined because",
        options: Object.entries(DECLINE_REASONS).map(([value, { label }]) => ({ value, label })),
      },
      { name: "paidFrom", label: "Paid from", day: true },
      { name: "paidTo", label: "Paid until", day: true },
      {
        name: "risk",
        label: "Can come back",
        options: [
          { value: "at_risk", label: "Yes" },
          { value: "safe", label: "No" },
        ],
      },
    ]}
    columns={[
      { name: "reference", label: "Reference", cell: ({ reference }) => reference },
      { name: "payer", label: "Customer", cell: (payment) => <Words of={payerOf(payment)} /> },
      { name: "description", label: "For", cell: ({ description }) => <Words of={description} />, extra: true },
      { name: "type", label: "Type", cell: ({ type }) => (type === "eft" ? "EFT" : words(type)), extra: true },
      { name: "method", label: "Payment method", cell: wayOf },
      { name: "gateway", label: "Gateway", cell: ({ gateway }) => words(gateway), extra: true },
      { name: "status", label: "Status", cell: (payment) => <Status of={paymentStatus(payment)} /> },
      { name: "createdAt", label: "Date", cell: ({ paidAt, createdAt }) => <Time at={paidAt ?? createdAt} /> },
      {
        name: "fee",
        label: "Fee",
        figures: true,
        cell: ({ fee, currency }) => <Money amount={fee} currency={currency} />,
        extra: true,
      },
      {
        name: "amount",
        label: "Amount",
        sort: BY_AMOUNT,
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    totals={{ amount: "Amount", netPaid: "Paid, less refunds and reversals" }}
    empty={{
      title: "No payment yet",
      text: "Payments come from payment links, invoices, checkout, saved cards and debit orders. Create a payment link to take the first one.",
      first: { label: "New payment link", permission: "payment_links:write", to: "/payment-links/new" },
    }}
  />
);
