import { Alert } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { Facts, ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { reasonOf } from "../../lib/unpaid.ts";
import { includedVatInWords } from "../../lib/vat.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";

type Mandate = Shape<"Mandate">;

/** The page of a mandate. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const mandate = useRecord(["/mandates", id], () => got(api.GET("/mandates/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="mandates"
      list="Mandates"
      record={mandate}
      show={(record) => ({
        title: record.accountReference,
        name: record.accountReference,
        id: record.id,
        status: record.stage,
        figure: (
          <>
            <Money amount={record.amount} currency={record.currency} /> {per(record.frequency)}
          </>
        ),
        facts: facts(record),
        actions: (
          <>
            {record.agreement.latest?.status === "signed" && (
              <FileButton path={`/mandates/${record.id}/agreements/${record.agreement.latest.id}`}>
                Agreement
              </FileButton>
            )}
            <Actions mandate={record} />
          </>
        ),
        sections: (
          <>
            {record.authorityLostAt && (
              <Alert color="red" title="The bank has no authority to debit">
                The bank said so on <Time at={record.authorityLostAt} />. Nothing is debited until the customer signs a
                new agreement.
              </Alert>
            )}
            <Account mandate={record} />
            <Debits mandate={record} />
          </>
        ),
      })}
    />
  );
}

const facts = (mandate: Mandate) =>
  [
    ["Customer", <IdLink key="customer" id={mandate.customer.id} />],
    ["For", <Words key="for" of={mandate.description} />],
    ["VAT", <Words key="vat" of={includedVatInWords(mandate)} />],
    ["Next debit", <Time key="next" at={mandate.nextDebitDate} />],
    ["Day of the month", String(mandate.debitDay)],
    ["First day", <Time key="start" at={mandate.startDate} />],
    ["Last day", <Time key="end" at={mandate.endDate} />],
    ["Last collected", <Time key="last" at={mandate.lastCollectedAt} />],
    ["Unpaid in a row", String(mandate.failureCount)],
    ["Signed", <Time key="signed" at={mandate.agreement.signedAt} />],
    ["Agreement", mandate.agreement.latest ? <Status key="agreement" of={mandate.agreement.latest.status} /> : "–"],
    ["Approved", <Time key="approved" at={mandate.approvedAt} />],
    ["Rejected", <Time key="rejected" at={mandate.rejectedAt} />],
    ["Rejection reason", <Words key="why" of={mandate.rejectionReason} />],
    ["Subscription", <IdLink key="subscription" id={mandate.subscriptionId} />],
  ] as const;

const Account = ({ mandate: { bank, idNumberLast4 } }: { readonly mandate: Mandate }) => (
  <Section title="Bank account">
    <Facts
      of={[
        ["Account holder", <Words key="holder" of={bank.accountHolder} />],
        ["Bank", <Words key="bank" of={bank.name} />],
        ["Account", `•••• ${bank.accountNumberLast4}`],
        ["Branch code", bank.branchCode],
        ["Type", words(bank.accountType)],
        ["ID number", idNumberLast4 ? `•••• ${idNumberLast4}` : "–"],
      ]}
    />
  </Section>
);

/** The newest debits of the mandate. */
function Debits({ mandate: { id } }: { readonly mandate: Mandate }) {
  const debits = useRecord(["/mandates", id, "debits"], () =>
    got(api.GET("/mandates/{id}/debits", { params: { path: { id }, query: { limit: 20 } } })),
  );
  return (
    <Section title="Debits">
      <Rows
        label="Debits"
        items={debits.data?.data ?? []}
        keyOf={({ reference }) => reference}
        none="No debits yet"
        columns={[
          { label: "Reference", cell: ({ reference }) => <IdLink id={reference} /> },
          { label: "Due", cell: ({ debitDate }) => <Time at={debitDate} /> },
          { label: "Batch", cell: ({ debitBatchId }) => <IdLink id={debitBatchId} /> },
          { label: "Status", cell: ({ status, heldBack }) => <Status of={heldBack ? "held_back" : status} /> },
          { label: "Reason", cell: (debit) => <Words of={debit.heldBack ? debit.heldBack.reason : reasonOf(debit)} /> },
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
