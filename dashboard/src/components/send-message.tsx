import { Loader, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { api, got, type Shape } from "../api/client.ts";
import type { KeyFor } from "../api/records.ts";
import { type Permission, useActing } from "../api/session.ts";
import { CHANNEL_NAMES } from "../lib/channels.ts";
import { MoneyAction } from "./money-action.tsx";
import { Time } from "./values.tsx";

type Channel = Shape<"Message">["channel"];
type Where = { channel: Channel; phone?: string };

/** What sends the messages of one record. */
interface Sends {
  readonly id: string;
  readonly permission: Permission;
  preview(where: Where): Promise<Shape<"MessagePreview">>;
  send(where: Where, key: string): Promise<Shape<"Message">>;
}

const whereOf = ({ channel, phone }: { channel: Channel; phone: string }): Where => ({
  channel,
  ...(phone.trim() ? { phone: phone.trim() } : {}),
});

/** The action that sends a payment link by SMS or WhatsApp, with the text as it will be. */
export const SendLinkMessage = ({ id }: { readonly id: string }) => (
  <SendMessage
    id={id}
    permission="payment_links:write"
    preview={({ channel, phone = "" }) =>
      got(
        api.GET("/payment-links/{id}/message-preview", {
          params: { path: { id }, query: { channel, ...(phone && { phone }) } },
        }),
      )
    }
    send={(body, key) =>
      got(
        api.POST("/payment-links/{id}/messages", {
          params: { path: { id }, header: { "Idempotency-Key": key } },
          body,
        }),
      )
    }
  />
);

/** The action that sends an invoice by SMS or WhatsApp. */
export const SendInvoiceMessage = ({ id }: { readonly id: string }) => (
  <SendMessage
    id={id}
    permission="invoices:write"
    preview={({ channel, phone = "" }) =>
      got(
        api.GET("/invoices/{id}/message-preview", {
          params: { path: { id }, query: { channel, ...(phone && { phone }) } },
        }),
      )
    }
    send={(body, key) =>
      got(api.POST("/invoices/{id}/messages", { params: { path: { id }, header: { "Idempotency-Key": key } }, body }))
    }
  />
);

const SendMessage = (sends: Sends) => (
  <MoneyAction
    label="Send by SMS or WhatsApp"
    title="Send by SMS or WhatsApp"
    permission={sends.permission}
    initial={{ channel: "sms" as Channel, phone: "" }}
    fields={(form) => (
      <>
        <NativeSelect
          label="Send by"
          data={Object.entries(CHANNEL_NAMES).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps("channel")}
        />
        <TextInput
          label="Cellphone number"
          description="Leave it empty to use the customer's."
          type="tel"
          autoComplete="off"
          {...form.getInputProps("phone")}
        />
      </>
    )}
    what={(values) => <Preview sends={sends} where={whereOf(values)} />}
    send={(values, keyFor: KeyFor) => sends.send(whereOf(values), keyFor(whereOf(values)))}
    touches={["/messages", "/timeline"]}
    said={({ channel, recipient }) => `${CHANNEL_NAMES[channel]} to ${recipient} requested`}
    button={{ variant: "default" }}
  />
);

function Preview({ sends, where }: { readonly sends: Sends; readonly where: Where }) {
  // Not for each digit of a number that is being typed.
  const [settled] = useDebouncedValue(JSON.stringify(where), 300);
  const preview = useQuery({
    queryKey: ["/message-preview", sends.id, settled],
    queryFn: () => sends.preview(JSON.parse(settled) as Where),
    placeholderData: (before) => before,
  });
  const { sandbox } = useActing().membership;
  const { data } = preview;
  if (!data) return preview.isError ? "The message cannot be shown now." : <Loader size="sm" aria-label="Loading" />;
  const { text, segments, recipient, leavesAt, fault } = data;
  if (fault !== null) return fault;
  return (
    <Stack gap="xs">
      <Text size="sm" className="tefo-words" dir="auto">
        {text}
      </Text>
      <Text size="sm">
        To {recipient}
        {segments !== null &&
          `, in ${segments === 1 ? "one part" : `${segments} parts, each of which your provider charges for`}`}
        . It leaves at <Time at={leavesAt} /> or soon after.
        {sandbox && " This is a sandbox, so no phone gets it."}
      </Text>
    </Stack>
  );
}
