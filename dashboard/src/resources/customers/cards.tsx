import { Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyInput, WholeInput } from "../../components/form.tsx";
import { Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { CopyId, Status, Time } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { formatTime } from "../../lib/time.ts";
import { words } from "../../lib/words.ts";

type Card = Shape<"Card">;

/** The name of a card; by the time of saving when its gateway does not report its digits. */
const nameOf = ({ brand, last4, createdAt }: Pick<Card, "brand" | "last4" | "createdAt">) =>
  last4 === "" ? `${words(brand)} saved on ${formatTime(createdAt)}` : `${words(brand)} ending in ${last4}`;

const TOUCHES = ["/customers", "/emails", "/audit-log"];

/** The saved cards of a customer, with the actions on each (interface 4.11). */
export function Cards({
  customer,
  active,
  open,
}: {
  readonly customer: string;
  /** Cards of inactive customers are neither added nor charged. */
  readonly active: boolean;
  /** False for a customer who was erased. */
  readonly open: boolean;
}) {
  const cards = useRecord(["/customers", customer, "cards"], () =>
    got(api.GET("/customers/{id}/cards", { params: { path: { id: customer }, query: { limit: 100 } } })),
  );
  return (
    <Section title="Cards" actions={open && active && <SetUp customer={customer} />}>
      <Loaded of={cards}>
        {({ data }) => (
          <Rows
            label="Cards"
            items={data}
            keyOf={({ id }) => id}
            none="No saved card. The customer saves one while paying, or on a page that you send them."
            columns={[
              { label: "Card", cell: nameOf },
              { label: "Status", cell: ({ status }) => <Status of={status} /> },
              { label: "Default", cell: ({ isDefault }) => (isDefault ? "Yes" : "No") },
              { label: "Expires", cell: expiryOf },
              { label: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} day /> },
              { label: "Actions", cell: (card) => <Actions card={card} active={active} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

const expiryOf = ({ expiryMonth, expiryYear, expiring }: Card) =>
  expiryMonth === null || expiryYear === null
    ? "–"
    : `${String(expiryMonth).padStart(2, "0")}/${expiryYear}${expiring ? ", soon" : ""}`;

const Actions = ({ card, active }: { readonly card: Card; readonly active: boolean }) => (
  <Group gap="xs" justify="flex-end">
    {active && card.chargeable && <Charge card={card} />}
    {!card.isDefault && card.status === "active" && <MakeDefault card={card} />}
    <Remove card={card} />
  </Group>
);

const ofCard = ({ customerId, id }: Card) => ({ path: { id: customerId, cardId: id } });

const Charge = ({ card }: { readonly card: Card }) => (
  <MoneyAction
    label="Charge"
    title={`Charge the ${nameOf(card)}`}
    permission="card_charges:write"
    initial={{ amount: "" as number | string, description: "", externalReference: "" }}
    check={{
      amount: (value) => (Number(value) > 0 ? null : "Say how much is charged."),
      description: (value) => (value.trim() ? null : "Say what it is for: the customer reads it on the receipt."),
      externalReference: (value) => (value.trim() ? null : "Enter a reference that no other charge has"),
    }}
    fields={(form) => (
      <>
        <MoneyInput label="Amount" data-autofocus {...form.getInputProps("amount")} />
        <TextInput label="Description" maxLength={255} dir="auto" {...form.getInputProps("description")} />
        <TextInput
          label="Your reference"
          description="A second charge with the same reference is refused, unless the first failed."
          maxLength={100}
          autoComplete="off"
          {...form.getInputProps("externalReference")}
        />
      </>
    )}
    what={({ amount }) =>
      Number(amount) > 0
        ? `The gateway takes ${formatMoney(Number(amount), "ZAR")} from the ${nameOf(card)}, without asking the customer again. It can be refunded.`
        : "Nothing, until an amount is given."
    }
    send={({ amount, description, externalReference }, keyFor) => {
      const body = {
        amount: Number(amount),
        description: description.trim(),
        externalReference: externalReference.trim(),
      };
      const params = { ...ofCard(card), header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/customers/{id}/cards/{cardId}/charges", { params, body }));
    }}
    touches={[...TOUCHES, "/transactions"]}
    said={({ status, amount, currency }) =>
      status === "failed"
        ? "The charge failed. Nothing was taken."
        : `${formatMoney(amount, currency)} is ${status === "complete" ? "charged" : "being charged"}.`
    }
    outcome={({ status, reference, failureReason }) => (
      <Stack gap="xs" align="flex-start">
        <Status of={status} />
        {failureReason && <Text>{failureReason}</Text>}
        <TextLink to={pathTo("transactions", reference)}>{reference}</TextLink>
      </Stack>
    )}
    button={{ size: "xs", variant: "default" }}
  />
);

const MakeDefault = ({ card }: { readonly card: Card }) => (
  <MoneyAction
    label="Set as default"
    title={`Make the ${nameOf(card)} the default card`}
    permission="cards:write"
    initial={{}}
    what={() => "Subscriptions and invoices of the customer that are collected by card are charged to it from now on."}
    send={() => got(api.POST("/customers/{id}/cards/{cardId}/default", { params: ofCard(card), body: {} }))}
    touches={TOUCHES}
    said={() => `The ${nameOf(card)} is the default card.`}
    button={{ size: "xs", variant: "default" }}
  />
);

const Remove = ({ card }: { readonly card: Card }) => (
  <MoneyAction
    label="Remove"
    title={`Remove the ${nameOf(card)}`}
    permission="cards:write"
    initial={{}}
    danger
    what={() =>
      `The card is no longer charged, and its gateway is told so. ${card.isDefault ? "Another saved card becomes the default, if there is one. " : ""}The customer can save it again.`
    }
    send={() => got(api.DELETE("/customers/{id}/cards/{cardId}", { params: ofCard(card) }))}
    touches={TOUCHES}
    said={() => `${nameOf(card)} removed`}
    button={{ size: "xs" }}
  />
);

const HOURS_MAX = 168;

const SetUp = ({ customer }: { readonly customer: string }) => (
  <MoneyAction
    label="Add a card"
    title="Create a link for adding a card"
    permission="cards:write"
    initial={{ hours: 24 as number | string, makeDefault: true }}
    check={{
      hours: (value) => (Number(value) > 0 && Number(value) <= HOURS_MAX ? null : `1 to ${HOURS_MAX} hours.`),
    }}
    fields={(form) => (
      <>
        <WholeInput label="Hours that the link works" max={HOURS_MAX} {...form.getInputProps("hours")} />
        <Switch label="Set as default card" {...form.getInputProps("makeDefault", { type: "checkbox" })} />
      </>
    )}
    what={() =>
      `A link is created for you to send. Its page charges ${formatMoney(1, "ZAR")} to check the card, which a credit note returns.`
    }
    send={({ hours, makeDefault }, keyFor) => {
      const body = { expiresInMinutes: Number(hours) * 60, makeDefault };
      const params = { path: { id: customer }, header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/customers/{id}/cards/setup", { params, body }));
    }}
    touches={TOUCHES}
    said={() => "Link created"}
    outcome={({ url, expiresAt }) => (
      <Stack gap="xs" align="flex-start">
        <Text>
          Send this link to the customer. It works until <Time at={expiresAt} />.
        </Text>
        <div className="tefo-words">
          <CopyId id={url} />
        </div>
      </Stack>
    )}
    button={{ size: "xs", variant: "default" }}
  />
);
