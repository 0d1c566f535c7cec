import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { totalsOf } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";
import { ImportButton } from "./import-button.tsx";
import { REPEATED } from "./parts.ts";

const STATUSES = ["unmatched", "matched", "not_received", "duplicate", "ignored", REPEATED] as const;

/** Why it is matched or ignored; for a payment that a statement lacked, when its money came. */
const why = ({ reason, received }: Shape<"ReconciliationItem">) =>
  received ? (
    <>
      Came on <Time at={received.date} />
    </>
  ) : (
    <Words of={reason} />
  );

const ignore: BulkAction<Shape<"ReconciliationItem">> = {
  label: "Ignore",
  permission: "reconciliation:write",
  reason: "required",
  danger: true,
  name: ({ description, date }) => `${description || "(empty)"}, ${date}`,
  applies: ({ status }) => status === "unmatched",
  what: (chosen) =>
    `${counted(chosen.length, "line is", "lines are")} none of yours, ${totalsOf(chosen, ({ amount }) => amount)} together: nothing of them is left to match, and nothing moves in the books. Fees of the bank and transfers between your accounts belong in the books: match them as that.`,
  run: ({ id }, _key, { reason }) =>
    got(api.POST("/reconciliation/items/{id}/ignore", { params: { path: { id } }, body: { reason } })),
  touches: ["/reconciliation"],
};

/** The list of lines of bank statements. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/items"
    title="Bank lines"
    path="/reconciliation/items"
    exported="/exports/reconciliation-items.csv"
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "account", label: "Account" },
    ]}
    actions={
      <ButtonLink to="/reconciliation/to-match" variant="default">
        To match
      </ButtonLink>
    }
    columns={[
      { name: "description", label: "Description", cell: ({ description }) => <Words of={description || "(empty)"} /> },
      { name: "date", label: "Date", cell: ({ date }) => <Time at={date} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "reason", label: "Reason", cell: why },
      {
        name: "payment",
        label: "Payment",
        cell: ({ transactionReference }) => <IdLink id={transactionReference} />,
      },
      { name: "account", label: "Account", cell: ({ account }) => <Words of={account} />, extra: true },
      { name: "reference", label: "Reference", cell: ({ reference }) => <Words of={reference} />, extra: true },
      { name: "matchedBy", label: "Matched by", cell: ({ matchedBy }) => <Words of={matchedBy} />, extra: true },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    bulk={[ignore]}
    empty={{
      title: "No statement yet",
      text: "A bank statement says what really arrived. Import one, and each of its lines is compared with your payments: what fits is matched with the reason, what does not is left to you.",
      action: <ImportButton />,
    }}
  />
);
