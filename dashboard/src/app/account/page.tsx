import { Group, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { useActing } from "../../api/session.ts";
import { Frame } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Facts, Section } from "../../components/resource-page.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Sessions } from "./sessions.tsx";
import { TwoFactor } from "./two-factor.tsx";

/** One's own account, in whatever organisation one is. */
export const Page = () => (
  <Frame title="Your account">
    <Profile />
    <TwoFactor />
    <Passkeys />
    <Sessions />
  </Frame>
);

function Profile() {
  const { user } = useActing().session;
  return (
    <Section
      title="Profile"
      actions={
        <Group gap="xs">
          <ChangeName name={user.name} />
          <ChangePassword />
        </Group>
      }
    >
      <Facts
        of={[
          [
            "Name",
            <span key="name" dir="auto">
              {user.name || "–"}
            </span>,
          ],
          ["Email address", user.email],
        ]}
      />
    </Section>
  );
}

const ChangeName = ({ name }: { readonly name: string }) => (
  <MoneyAction
    label="Change name"
    title="Your name"
    initial={{ name }}
    check={{ name: (value: string) => (value.trim() ? null : "Enter a name") }}
    fields={(form) => (
      <TextInput label="Name" autoComplete="name" dir="auto" maxLength={100} {...form.getInputProps("name")} />
    )}
    what={() => "Your colleagues see it in lists, notes and the audit log, in every organisation of yours."}
    send={(body: { name: string }) => got(api.POST("/account/name", { body }))}
    touches={["session", "/members"]}
    said={() => "Name updated"}
    button={{ size: "xs", variant: "default" }}
  />
);

const ChangePassword = () => (
  <MoneyAction
    label="Change password"
    title="A new password"
    initial={{ currentPassword: "", newPassword: "" }}
    check={{
      currentPassword: (value: string) => (value ? null : "Enter your current password."),
      newPassword: (value: string) => (value ? null : "Enter the new password."),
    }}
    fields={(form) => (
      <>
        <Password label="Current password" {...form.getInputProps("currentPassword")} />
        <Password label="New password" autoComplete="new-password" {...form.getInputProps("newPassword")} />
      </>
    )}
    what={() => "You stay signed in here, and are signed out everywhere else."}
    send={(body: { currentPassword: string; newPassword: string }) => got(api.POST("/auth/change-password", { body }))}
    touches={["/account/sessions"]}
    said={() => "Password changed"}
    button={{ size: "xs", variant: "default" }}
  />
);
