import { Group, Text, TextInput } from "@mantine/core";
import { api, askProof, got } from "../../api/client.ts";
import { ApiFailure } from "../../api/failure.ts";
import { newPasskey, passkeysWork } from "../../api/passkey.ts";
import { useRecord } from "../../api/records.ts";
import { Loaded } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Time, Words } from "../../components/values.tsx";

interface Passkey {
  readonly id: string;
  readonly name?: string | null;
  readonly createdAt: string;
}

const TOUCHES = ["/account/passkeys"];
const nameOf = ({ name }: Passkey): string => name || "Passkey";

/** The passkeys with which one signs in without password and code. */
export function Passkeys() {
  const passkeys = useRecord(TOUCHES, async () => {
    const { data } = await got(api.GET("/auth/passkey/list-user-passkeys"));
    return data as readonly Passkey[];
  });
  return (
    <Section title="Passkeys" actions={passkeysWork() && <Add />}>
      <Loaded of={passkeys}>
        {(items) => (
          <Rows
            label="Passkeys"
            items={items}
            keyOf={({ id }) => id}
            none="None yet. A passkey signs you in by your finger, face or PIN, without password and code."
            columns={[
              { label: "Name", cell: (passkey) => <Words of={nameOf(passkey)} /> },
              { label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
              {
                label: "Actions",
                cell: (passkey) => (
                  <Group gap="xs">
                    <Rename passkey={passkey} />
                    <Remove passkey={passkey} />
                  </Group>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {!passkeysWork() && (
        <Text size="sm" c="dimmed">
          This browser cannot make passkeys.
        </Text>
      )}
    </Section>
  );
}

const NAME_CHECK = { name: (value: string) => (value.trim() ? null : "Enter a name, such as that of the device") };

const Add = () => (
  <MoneyAction
    label="Add a passkey"
    title="A new passkey"
    initial={{ name: "" }}
    check={NAME_CHECK}
    fields={(form) => (
      <TextInput label="Name" autoComplete="off" dir="auto" maxLength={100} {...form.getInputProps("name")} />
    )}
    what={() => "Your device asks for your finger, face or PIN. From then on, that signs you in."}
    send={async ({ name }: { name: string }) => {
      const response = await newPasskey(await creationOptions());
      return got(api.POST("/auth/passkey/verify-registration", { body: { name, response } }));
    }}
    touches={TOUCHES}
    said={() => "Passkey added"}
    button={{ size: "xs", variant: "default" }}
  />
);

/** Passkeys can be added only soon after signing in: later, the person signs in again first. */
async function creationOptions(): Promise<object> {
  const read = () => got(api.GET("/auth/passkey/generate-register-options"));
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 403 || !(await askProof())) throw error;
    return read();
  }
}

const Rename = ({ passkey }: { readonly passkey: Passkey }) => (
  <MoneyAction
    label="Rename"
    title={`Rename ${nameOf(passkey)}`}
    initial={{ name: passkey.name ?? "" }}
    check={NAME_CHECK}
    fields={(form) => (
      <TextInput label="Name" autoComplete="off" dir="auto" maxLength={100} {...form.getInputProps("name")} />
    )}
    what={() => "Only you see it."}
    send={({ name }: { name: string }) =>
      got(api.POST("/auth/passkey/update-passkey", { body: { id: passkey.id, name } }))
    }
    touches={TOUCHES}
    said={() => "Passkey renamed"}
    button={{ size: "xs", variant: "default" }}
  />
);

const Remove = ({ passkey }: { readonly passkey: Passkey }) => (
  <MoneyAction
    label="Remove"
    title={`Remove ${nameOf(passkey)}`}
    danger
    initial={{}}
    what={() => "It no longer signs you in. Remove it from your device too."}
    send={() => got(api.POST("/auth/passkey/delete-passkey", { body: { id: passkey.id } }))}
    touches={TOUCHES}
    said={() => "Passkey removed"}
    button={{ size: "xs" }}
  />
);
