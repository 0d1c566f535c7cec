import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { ResourcePage } from "../../components/resource-page.tsx";
import { Time, Words } from "../../components/values.tsx";
import { formatMonth } from "../../lib/months.ts";
import { DeferredRevenue } from "./deferred-revenue.tsx";
import { Ledger } from "./ledger.tsx";
import { SoftwareFiles } from "./software-files.tsx";
import { VatReturn } from "./vat-return.tsx";

type Month = Shape<"AccountingMonth">;

/** The page of a month: whether it is closed, the sum posted to each ledger account, its VAT return and deferred revenue. */
export function Page() {
  const { month } = useParams({ strict: false }) as { month: string };
  const record = useRecord(["/accounting", "month", month], () =>
    got(api.GET("/accounting/months/{month}", { params: { path: { month } } })),
  );
  return (
    <ResourcePage
      resource="accounting/months"
      list="Month end"
      record={record}
      show={(one) => ({
        title: formatMonth(one.month),
        name: formatMonth(one.month),
        id: one.month,
        status: one.status,
        facts: [
          ["Closed", <Time key="at" at={one.closedAt} />],
          ["By", <Words key="by" of={one.closedBy} />],
        ],
        actions: <Decide of={one} />,
        sections: (
          <>
            <Ledger of={one} />
            <VatReturn month={one.month} />
            <DeferredRevenue month={one.month} />
            <SoftwareFiles month={one.month} />
          </>
        ),
        timeline: false,
      })}
    />
  );
}

const Decide = ({ of: { month, status } }: { readonly of: Month }) =>
  status === "open" ? (
    <MoneyAction
      label="Close month"
      title={`Close ${formatMonth(month)}`}
      permission="accounting:write"
      initial={{}}
      what={() =>
        `${formatMonth(month)} and every month before it are closed: nothing is posted into them any more. What is dated in one of them, such as a payment that is recorded later, is posted at the start of the first open month.`
      }
      send={() => got(api.POST("/accounting/months/{month}/close", { params: { path: { month } } }))}
      touches={["/accounting"]}
      said={() => `${formatMonth(month)} closed`}
    />
  ) : (
    <MoneyAction
      label="Reopen month"
      title={`Reopen ${formatMonth(month)}`}
      permission="accounting:write"
      initial={{}}
      what={() =>
        `${formatMonth(month)} and every month after it are open again, so that their figures can change. What was posted elsewhere meanwhile stays where it is.`
      }
      send={() => got(api.POST("/accounting/months/{month}/reopen", { params: { path: { month } } }))}
      touches={["/accounting"]}
      said={() => `${formatMonth(month)} is open again.`}
      danger
    />
  );
