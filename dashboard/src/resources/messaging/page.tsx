import { Group, NativeSelect, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay } from "../../api/session.ts";
import type { FormOf } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { SecretInput } from "../../components/secret-input.tsx";
import { SettingsForm } from "../../components/settings-form.tsx";
import { CopyId, Time } from "../../components/values.tsx";
import { CHANNEL_NAMES } from "../../lib/channels.ts";

type Messaging = Shape<"Messaging">;
type Provider = Messaging["providers"][number];
type Account = Messaging["accounts"][number];
type Channel = Provider["channel"];

const TOUCHES = ["/messaging", "/audit-log"];

/** The settings of messages: a provider for each channel. */
export function Page() {
  const { sandbox } = useActing().membership;
  const messaging = useRecord(["/messaging"], () => got(api.GET("/messaging")));
  return (
    <Frame title="Messaging">
      <Text size="sm" maw={820}>
        Send payment links and invoices by SMS and WhatsApp through your own account at a provider, who charges you for
        each message. Messages leave from 08:00 to 20:00, on Saturdays from 09:00 to 13:00, and not on Sundays and
        public holidays. Whoever replies STOP gets no more.
        {sandbox && " This is a sandbox: its messages are listed, but no phone gets them."}
      </Text>
      <Loaded of={messaging}>
        {(found) => (
          <Stack gap="lg">
            <ChannelSection channel="sms" of={found} />
            <ChannelSection channel="whatsapp" of={found} />
            <OptOuts />
          </Stack>
        )}
      </Loaded>
    </Frame>
  );
}

/** The numbers that get no messages, of which one is found by its beginning. */
function OptOuts() {
  const [q, find] = useState("");
  const numbers = useRecord(["/message-opt-outs", q.trim()], () =>
    got(api.GET("/message-opt-outs", { params: { query: { q: q.trim(), limit: 50 } } })),
  );
  const shown = numbers.data?.data ?? [];
  return (
    <Section title="Opted out">
      <Stack gap="sm" maw={820}>
        <Text size="sm">These numbers replied STOP, and get no messages.</Text>
        {(shown.length > 0 || q !== "") && (
          <TextInput
            label="Find a number"
            placeholder="+2782"
            maw={260}
            value={q}
            onChange={({ currentTarget }) => find(currentTarget.value)}
          />
        )}
        <Rows
          label="Opted out"
          items={shown}
          keyOf={({ phone }) => phone}
          none={q === "" ? "Nobody has opted out" : "No such number"}
          columns={[
            { label: "Number", cell: ({ phone }) => phone },
            { label: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
            { label: "Actions", cell: ({ phone }) => <AllowAgain phone={phone} /> },
          ]}
        />
        {numbers.data?.hasMore && <Text size="sm">There are more. Find a number by its beginning.</Text>}
      </Stack>
    </Section>
  );
}

const AllowAgain = ({ phone }: { readonly phone: string }) => (
  <MoneyAction
    label="Allow again"
    title={`Allow messages to ${phone}`}
    permission="settings:write"
    initial={{}}
    what={() => "Only do this when the customer has asked you for messages again: the law says that they decide."}
    send={() => got(api.DELETE("/message-opt-outs/{phone}", { params: { path: { phone } } }))}
    touches={["/message-opt-outs", "/audit-log"]}
    said={() => `Messages to ${phone} are allowed again`}
    button={{ size: "xs", variant: "default" }}
  />
);

function ChannelSection({ channel, of }: { readonly channel: Channel; readonly of: Messaging }) {
  const may = useMay();
  const providers = of.providers.filter((one) => one.channel === channel);
  const account = of.accounts.find((one) => one.channel === channel);
  const [chosen, choose] = useState(account?.provider ?? providers[0]?.type ?? "");
  const provider = providers.find(({ type }) => type === chosen);
  const own = account?.provider === chosen ? account : undefined;
  return (
    <section aria-label={CHANNEL_NAMES[channel]}>
      <Stack gap="md" maw={820}>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {CHANNEL_NAMES[channel]}
          </Title>
          {account && <AccountActions account={account} name={CHANNEL_NAMES[channel]} />}
        </Group>
        {providers.length > 1 && (
          <NativeSelect
            label="Provider"
            maw={400}
            data={providers.map(({ type, name }) => ({ value: type, label: name }))}
            value={chosen}
            disabled={!may("settings:write")}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        )}
        {provider && (
          <AccountForm
            key={`${chosen} ${own?.updatedAt}`}
            provider={provider}
            account={own}
            readOnly={!may("settings:write")}
          />
        )}
        {provider && own && <Reports account={own} provider={provider} />}
      </Stack>
    </section>
  );
}

interface Values {
  enabled: boolean;
  credentials: Record<string, string>;
}

const AccountForm = ({
  provider,
  account,
  readOnly,
}: {
  readonly provider: Provider;
  readonly account: Account | undefined;
  readonly readOnly: boolean;
}) => (
  <SettingsForm<Values, Account>
    initial={{
      enabled: account?.enabled ?? true,
      credentials: Object.fromEntries(provider.credentialFields.map(({ name }) => [name, ""])),
    }}
    readOnly={readOnly}
    fields={(form) => (
      <>
        {provider.credentialFields.map((field) => (
          <CredentialField
            key={field.name}
            form={form}
            field={field}
            set={account?.credentialsSet.includes(field.name)}
          />
        ))}
        <Switch label={`Send by ${provider.name}`} {...form.getInputProps("enabled", { type: "checkbox" })} />
      </>
    )}
    send={({ enabled, credentials }) => {
      const typed = Object.fromEntries(Object.entries(credentials).filter(([, value]) => value.trim() !== ""));
      return got(
        api.PUT("/messaging/{channel}", {
          params: { path: { channel: provider.channel } },
          body: { provider: provider.type, enabled, credentials: typed },
        }),
      );
    }}
    touches={TOUCHES}
    said={`${provider.name} saved`}
  />
);

function CredentialField({
  form,
  field,
  set = false,
}: {
  readonly form: FormOf<Values>;
  readonly field: Provider["credentialFields"][number];
  readonly set?: boolean | undefined;
}) {
  const hint = field.hint && `${field.hint.charAt(0).toUpperCase()}${field.hint.slice(1)}.`;
  const about = [field.where && `Where it is: ${field.where}.`, hint].filter(Boolean).join(" ");
  const props = {
    label: field.label,
    withAsterisk: field.required && !set,
    placeholder: set ? "Saved. Leave empty to keep" : "",
    ...(about ? { description: about } : {}),
    ...form.getInputProps(`credentials.${field.name}`),
  };
  return field.secret ? (
    <SecretInput {...props} autoComplete="new-password" />
  ) : (
    <TextInput {...props} autoComplete="off" />
  );
}

/** Where the provider reports deliveries and replies. */
const Reports = ({ account, provider }: { readonly account: Account; readonly provider: Provider }) => (
  <Stack gap="xs" align="flex-start" maw={820}>
    <Text size="sm" fw={600}>
      Delivery reports and replies
    </Text>
    <CopyId id={account.reportsUrl} label="Copy the address for reports" />
    <Text size="sm">{provider.reports} Keep the address to yourself: whoever has it can report deliveries.</Text>
    {account.verifyToken !== null && (
      <>
        <Text size="sm">Verify token:</Text>
        <CopyId id={account.verifyToken} label="Copy the verify token" />
      </>
    )}
  </Stack>
);

const AccountActions = ({ account, name }: { readonly account: Account; readonly name: string }) => (
  <Group gap="sm">
    <MoneyAction
      label="Send a test message"
      title={`Test ${name}`}
      permission="settings:write"
      initial={{ phone: "" }}
      fields={(form) => (
        <TextInput
          label="Your cellphone number"
          withAsterisk
          type="tel"
          autoComplete="tel"
          {...form.getInputProps("phone")}
        />
      )}
      what={() => "A short message goes to this number at once, and costs what your provider charges for it."}
      send={({ phone }) =>
        got(api.POST("/messaging/{channel}/test", { params: { path: { channel: account.channel } }, body: { phone } }))
      }
      touches={["/messages"]}
      said={({ recipient }) => `Message to ${recipient} requested. See Messages for what became of it`}
      button={{ variant: "default", size: "xs" }}
    />
    <MoneyAction
      label="Disconnect"
      title={`Disconnect ${name}`}
      permission="settings:write"
      danger
      initial={{}}
      what={() => "No messages are sent this way any more; those that wait fail. Its credentials are deleted."}
      send={() => got(api.DELETE("/messaging/{channel}", { params: { path: { channel: account.channel } } }))}
      touches={TOUCHES}
      said={() => `${name} disconnected`}
      button={{ size: "xs" }}
    />
  </Group>
);
