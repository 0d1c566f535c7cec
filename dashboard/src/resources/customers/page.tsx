import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { useActing } from "../../api/session.ts";
import { ButtonLink, TextLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { customerName } from "../../lib/customer-name.ts";
import { pathTo } from "../../lib/paths.ts";
import { Actions } from "./actions.tsx";
import { Cards } from "./cards.tsx";
import { CreditNotes, PaidOut } from "./credit.tsx";
import { Entitlements } from "./entitlements.tsx";
import { PersonalData, useErasure } from "./personal-data.tsx";
import { Related } from "./related.tsx";
import { Statement } from "./statement.tsx";

/** The page of a customer. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { membership } = useActing();
  const path = { params: { path: { id } } };
  const customer = useRecord(["/customers", id], () => got(api.GET("/customers/{id}", path)));
  const standing = useRecord(
    ["/customers", id, "standing"],
    () => got(api.GET("/customers/{id}/standing", path)),
    customer.isSuccess,
  );
  const inactive = customer.data?.active === false;
  const erasure = useErasure(id, inactive);
  // A customer who was erased cannot be changed.
  const lasting = customer.isSuccess && (!inactive || erasure.data?.data.length === 0);
  return (
    <ResourcePage
      resource="customers"
      list="Customers"
      record={customer}
      show={(record) => ({
        title: customerName(record),
        name: customerName(record),
        id: record.id,
        status: standing.data?.status ?? (record.active ? "active" : "inactive"),
        facts: [...(record.active ? [] : INACTIVE), ...standingFacts(standing.data), ...facts(record)],
        actions: lasting && <Actions customer={record} />,
        sections: (
          <>
            <Permitted to="invoices:read">
              <Invoices customer={record.id} open={lasting && record.active} />
            </Permitted>
            <Permitted to="credit_notes:read">
              <CreditNotes customer={record.id} open={lasting} />
            </Permitted>
            <Related customer={record.id} />
            {membership.plan.features.includes("invoicing") && (
              <Permitted to="subscriptions:read">
                <Entitlements customer={record.id} />
              </Permitted>
            )}
            <Permitted to="invoices:read">
              <Statement customer={record.id} currency={standing.data?.currency ?? "ZAR"} />
            </Permitted>
            <Permitted to="refunds:read">
              <PaidOut customer={record.id} currency={standing.data?.currency ?? "ZAR"} />
            </Permitted>
            <Permitted to="cards:read">
              <Cards customer={record.id} active={record.active} open={lasting} />
            </Permitted>
            <Permitted to="personal_data:read">
              <PersonalData customer={record} />
            </Permitted>
          </>
        ),
      })}
    />
  );
}

const INACTIVE = [
  [
    "Inactive",
    "Nothing new is created: no invoices, links, subscriptions, mandates or charges. What was kept running continues.",
  ],
] as const;

const standingFacts = (standing: Shape<"AccountStanding"> | undefined) =>
  standing
    ? ([
        ["Outstanding", <Money key="balance" amount={standing.balance} currency={standing.currency} />],
        ["Overdue", <Money key="overdue" amount={standing.overdueAmount} currency={standing.currency} />],
        ["Credit", <Money key="credit" amount={standing.credit} currency={standing.currency} />],
      ] as const)
    : [];

const facts = (customer: Shape<"Customer">) =>
  [
    ["Email address", <Words key="email" of={customer.email} />],
    ["Phone", <Words key="phone" of={customer.phone} />],
    ["Account code", customer.accountCode],
    ["Your reference", <Words key="reference" of={customer.externalReference} />],
    ["VAT number", <Words key="vat" of={customer.vatNumber} />],
    ["Address", <Words key="address" of={customer.address} />],
    ["Customer since", <Time key="since" at={customer.createdAt} />],
    ["Last updated", <Time key="changed" at={customer.updatedAt} />],
  ] as const;

function Invoices({ customer, open }: { readonly customer: string; readonly open: boolean }) {
  const list = useList("/invoices", { customerId: customer, limit: "10" });
  return (
    <Section
      title="Invoices"
      actions={
        open && (
          <Permitted to="invoices:write">
            <ButtonLink to="/invoices/new" search={{ customer }} size="xs" variant="default">
              New invoice
            </ButtonLink>
          </Permitted>
        )
      }
    >
      <Rows
        label="Invoices"
        items={list.data?.data ?? []}
        keyOf={({ id }) => id}
        none="No invoice yet."
        columns={[
          { label: "Number", cell: ({ id, number }) => <TextLink to={pathTo("invoices", id)}>{number}</TextLink> },
          { label: "Status", cell: ({ status }) => <Status of={status} /> },
          { label: "Due", cell: ({ dueDate }) => <Time at={dueDate} day /> },
          {
            label: "Total",
            figures: true,
            cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
          },
        ]}
      />
    </Section>
  );
}
