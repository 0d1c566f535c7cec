import { Group, Stack, Text, TextInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../lib/words.ts";

type Customer = Shape<"Customer">;

/** Whether a customer was erased, with what is kept: none or one. */
export const useErasure = (id: string, wanted = true) =>
  useRecord(
    ["/customers", id, "erasure"],
    () => got(api.GET("/customers/{id}/erasures", { params: { path: { id } } })),
    wanted,
  );

/** The personal data of a customer: their download, and their erasure except what the law says to keep (interface 18.7). */
export function PersonalData({ customer }: { readonly customer: Customer }) {
  const found = useErasure(customer.id);
  const erasure = found.data?.data[0];
  return (
    <Section
      title="Personal data"
      actions={
        <Group gap="sm">
          <FileButton path={`/customers/${customer.id}/personal-data`} size="xs">
            Export data
          </FileButton>
          {found.isSuccess && !erasure && <Erase customer={customer} />}
        </Group>
      }
    >
      <Loaded of={found}>
        {() =>
          erasure ? (
            <Erased of={erasure} />
          ) : (
            <Text size="sm">
              All that is held of this customer can be handed over as one archive. It holds full account and identity
              numbers, and the audit log keeps who took it.
            </Text>
          )
        }
      </Loaded>
    </Section>
  );
}

const Erase = ({ customer: { id, accountCode } }: { readonly customer: Customer }) => (
  <MoneyAction
    label="Erase"
    title="Erase personal data"
    permission="personal_data:write"
    initial={{ code: "" }}
    check={{ code: (value) => (value.trim() === accountCode ? null : `Type ${accountCode}.`) }}
    fields={(form) => (
      <TextInput
        label={`Type ${accountCode} to confirm`}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("code")}
      />
    )}
    danger
    what={() => (
      <Stack gap="xs">
        <div>
          Names, addresses, metadata, saved cards, proofs of payment, emails and what events and logs say of the
          customer are erased. Nobody can bring them back.
        </div>
        <div>
          Kept as long as tax law wants it: names and addresses on invoices and credit notes, payments without the
          customer's address, mandates with their agreements. Amounts, numbers and dates stay in the books.
        </div>
      </Stack>
    )}
    send={(_values, keyFor) =>
      got(api.POST("/customers/{id}/erase", { params: { path: { id }, header: { "Idempotency-Key": keyFor(null) } } }))
    }
    touches={["/customers", "/invoices", "/transactions", "/mandates", "/emails", "/events", "/audit-log"]}
    said={() => "What is personal of the customer is erased."}
    button={{ size: "xs" }}
  />
);

const Erased = ({ of: { erasedAt, erased, kept, elsewhere } }: { readonly of: Shape<"Erasure"> }) => (
  <Stack gap="md">
    <Text size="sm">
      Erased <Time at={erasedAt} />: {toldOf(erased)}.
    </Text>
    <Rows
      label="What is kept"
      items={kept}
      keyOf={({ what }) => what}
      none="Nothing is kept."
      columns={[
        { label: "Kept", cell: ({ what }) => words(what) },
        { label: "Records", figures: true, cell: ({ count }) => count },
        { label: "Until", cell: ({ until }) => <Time at={until} day /> },
        { label: "Reason", cell: ({ why }) => why },
      ]}
    />
    <Text size="sm">{elsewhere}</Text>
  </Stack>
);

const toldOf = (erased: Readonly<Record<string, number>>) =>
  Object.entries(erased)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${words(kind).toLowerCase()} (${count})`)
    .join(", ");
