import { Radio, Stack, TextInput, Title } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { ResourceForm } from "../../components/form.tsx";
import { useTitle } from "../../components/title.ts";
import { CHOICES, ROLES, type Role } from "./roles.ts";

const INITIAL: { email: string; role: Role } = { email: "", role: "viewer" };

/** The form of an invitation. */
export function Page() {
  useTitle("Invite somebody");
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Invite somebody
      </Title>
      <ResourceForm
        initial={INITIAL}
        fields={(form) => (
          <>
            <TextInput
              label="E-mail address"
              description="They get a link with which they join."
              type="email"
              autoComplete="off"
              {...form.getInputProps("email")}
            />
            <Radio.Group label="Role" {...form.getInputProps("role")}>
              <Stack gap="sm" mt="xs">
                {CHOICES.map(({ value, label }) => (
                  <Radio key={value} value={value} label={label} description={ROLES[value]} />
                ))}
              </Stack>
            </Radio.Group>
          </>
        )}
        label="Invite"
        send={({ email, role }) => got(api.POST("/members", { body: { email: email.trim(), role } }))}
        touches={["/members", "/emails", "/audit-log"]}
        said="The invitation is on its way."
        to={() => "/members"}
        back="/members"
      />
    </Stack>
  );
}
