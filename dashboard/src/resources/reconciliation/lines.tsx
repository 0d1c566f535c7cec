import type { Shape } from "../../api/client.ts";
import { ButtonLink } from "../../components/link.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { ImportButton } from "./import-button.tsx";
import { REPEATED } from "./parts.ts";

const STATUSES = ["unmatched", "matched", "not_received", "duplicate", "ignored", REPEATED] as const;

/** Why it is matched or ignored; of what a statement lacked, when it came. */
const why = ({ reason, received }: Shape<"ReconciliationItem">) =>
  received ? (
    <>
      Came on <Time at={received.date} />
    </>
  ) : (
    <Words of={reason} />
  );

/** The list of lines of bank statements. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/items"
    title="Bank lines"
    path="/reconciliation/items"
    filters={[
      { name: "status", label: "Status", options: STATUSES },
      { name: "account", label: "Account" },
    ]}
    actions={
      <ButtonLink to="/reconciliation/items" search={{ status: "unmatched" }} variant="default">
        Left to match
      </ButtonLink>
    }
    columns={[
      { name: "description", label: "Description", cell: ({ description }) => <Words of={description || "(empty)"} /> },
      { name: "date", label: "Date", cell: ({ date }) => <Time at={date} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "reason", label: "Why", cell: why },
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
    empty={{
      title: "No statement yet",
      text: "A bank statement says what really arrived. Import one, and each of its lines is compared with your payments: what fits is matched with the reason, what does not is left to you.",
      action: <ImportButton />,
    }}
  />
);
