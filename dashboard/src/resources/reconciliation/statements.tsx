import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { formatDay } from "../../lib/time.ts";
import { ImportButton } from "./import-button.tsx";

/** The list of statements. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/runs"
    title="Statements"
    path="/reconciliation/runs"
    exported="/exports/reconciliation-runs.csv"
    create={{ label: "Import a statement", permission: "reconciliation:write", to: "/reconciliation/runs/new" }}
    filters={[
      { name: "from", label: "Imported from", day: true },
      { name: "to", label: "Imported until", day: true },
    ]}
    columns={[
      { name: "account", label: "Account", cell: ({ account }) => <Words of={account} /> },
      {
        name: "period",
        label: "Period",
        cell: ({ periodStart, periodEnd }) => `${formatDay(periodStart)} – ${formatDay(periodEnd)}`,
      },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "matched", label: "Matched", figures: true, cell: ({ totals }) => totals.matched },
      { name: "unmatched", label: "To match", figures: true, cell: ({ totals }) => totals.unmatched },
      { name: "notReceived", label: "Not received", figures: true, cell: ({ totals }) => totals.notReceived },
      {
        name: "amountUnmatched",
        label: "Unmatched",
        figures: true,
        cell: ({ totals, currency }) => <Money amount={totals.amountUnmatched} currency={currency} />,
      },
      { name: "startedAt", label: "Imported", cell: ({ startedAt }) => <Time at={startedAt} /> },
      { name: "fileName", label: "File", cell: ({ fileName }) => <Words of={fileName} />, extra: true },
      { name: "items", label: "Lines", figures: true, cell: ({ totals }) => totals.items, extra: true },
    ]}
    empty={{
      title: "No statement yet",
      text: "Download the statement of a month from your bank as CSV, OFX or CAMT.053 and import it here. The exports of FNB, Standard Bank, Absa, Nedbank, Capitec and Investec are known; for others you say which column holds what.",
      action: <ImportButton />,
    }}
  />
);
