import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Section } from "../../components/resource-page.tsx";
import { Time, Words } from "../../components/values.tsx";
import { formatMonth, lastDayOf } from "../../lib/months.ts";
import { Ledger } from "./ledger.tsx";
import { VatReturn } from "./vat-return.tsx";

type Month = Shape<"AccountingMonth">;

/** The page of a month: whether it is closed, what was posted to each ledger account, and its VAT return. */
export function Page() {
  const { month } = useParams({ strict: false }) as { month: string };
  const record = useRecord(["/accounting", "month", month], () =>
    got(api.GET("/accounting/months/{month}", { params: { path: { month } } })),
  );
  return (
    <ResourcePage
      resource="accounting/months"
      list="Months"
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
      label="Close the month"
      title={`Close ${formatMonth(month)}`}
      permission="accounting:write"
      initial={{}}
      what={() =>
        `${formatMonth(month)} and every month before it are closed: nothing is posted into them any more. What is dated in one of them, such as a payment that is recorded later, is posted at the start of the first open month.`
      }
      send={() => got(api.POST("/accounting/months/{month}/close", { params: { path: { month } } }))}
      touches={["/accounting"]}
      said={() => `${formatMonth(month)} is closed.`}
    />
  ) : (
    <MoneyAction
      label="Reopen the month"
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

const SOFTWARE = [
  { value: "xero", label: "Xero" },
  { value: "sage", label: "Sage" },
  { value: "quickbooks", label: "QuickBooks" },
];

/** The month as the files that accounting software imports (interface 18.8). */
function SoftwareFiles({ month }: { readonly month: string }) {
  const [software, setSoftware] = useState("xero");
  const query = `from=${month}-01&to=${lastDayOf(month)}`;
  return (
    <Permitted to="exports:read">
      <Section
        title="Files for accounting software"
        actions={
          <NativeSelect
            aria-label="Accounting software"
            size="xs"
            data={SOFTWARE}
            value={software}
            onChange={({ currentTarget }) => setSoftware(currentTarget.value)}
          />
        }
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Import invoices, credit notes and journal, in this order. Or the whole journal alone, when your books need
            no single documents. Close the month first, so that the files stay what they are.
          </Text>
          <Group gap="sm">
            <FileButton path={`/exports/${software}/invoices.csv?${query}`}>Invoices</FileButton>
            <FileButton path={`/exports/${software}/credit-notes.csv?${query}`}>Credit notes</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}`}>Journal</FileButton>
            <FileButton path={`/exports/${software}/journal.csv?${query}&documents=included`}>Whole journal</FileButton>
          </Group>
        </Stack>
      </Section>
    </Permitted>
  );
}
