import { Radio, Stack, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { useSaidSent } from "../../api/session.ts";
import { ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { useRoleChoices } from "./roles.ts";

const INITIAL = { email: "", role: "viewer" };

/** The form of an invitation. */
export function Page() {
  const saidSent = useSaidSent();
  const choices = useRoleChoices();
  return (
    <Frame title="Invite team member" back={{ label: "Team", to: "/members" }}>
      <ResourceForm
        initial={INITIAL}
        fields={(form) => (
          <>
            <TextInput
              label="Email address"
              withAsterisk
              description="They get a link with which they join."
              type="email"
              autoComplete="off"
              {...form.getInputProps("email")}
            />
            <Radio.Group label="Role" {...form.getInputProps("role")}>
              <Stack gap="sm" mt="xs">
                {choices.map(({ value, label, about }) => (
                  <Radio key={value} value={value} label={label} description={about} />
                ))}
              </Stack>
            </Radio.Group>
          </>
        )}
        label="Invite"
        send={({ email, role }) => got(api.POST("/members", { body: { email: email.trim(), role } }))}
        touches={["/members", "/roles", "/emails", "/audit-log"]}
        said={saidSent("Invitation")}
        to={() => "/members"}
        back="/members"
      />
    </Frame>
  );
}
