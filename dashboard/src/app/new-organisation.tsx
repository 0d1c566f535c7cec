import { Button, Group, Paper, Radio, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { api, got } from "../api/client.ts";
import { FormError, type FormOf, useSentForm } from "../components/form.tsx";
import { Frame } from "../components/frame.tsx";
import { BASE } from "../lib/paths.ts";

const EMPTY = { name: "", slug: "", sandbox: false, vatRegistered: "" as "" | "yes" | "no" };
type Values = typeof EMPTY;

const SLUG_MAX = 40;

/** A short name from a name: lower-case letters, digits and single hyphens. */
const slugOf = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX)
    .replaceAll(/^-|-$/g, "");

/** The form of an organisation of one's own. */
export function Page() {
  const navigate = useNavigate();
  const { form, submit, busy, error } = useSentForm<Values, { slug: string }>({
    initial: EMPTY,
    check: { vatRegistered: (answer: Values["vatRegistered"]) => (answer === "" ? "Choose one" : null) },
    send: ({ vatRegistered, ...values }) =>
      got(api.POST("/organisations", { body: { ...values, vatRegistered: vatRegistered === "yes" } })),
    touches: [],
    // The page is loaded again: all data read so far belong to another organisation.
    done: ({ slug }) => location.assign(`${BASE}?organisation=${slug}`),
  });
  return (
    <Frame title="Create my organisation">
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={640}>
          <Text size="sm">
            An organisation of your own: it is empty, you are its owner, and it has everything that the demonstration
            shows.
          </Text>
          <FormError error={error} />
          <Paper withBorder p="lg">
            <Fields form={form} />
          </Paper>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => void navigate({ to: "/" })}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Create organisation
            </Button>
          </Group>
        </Stack>
      </form>
    </Frame>
  );
}

function Fields({ form }: { readonly form: FormOf<Values> }) {
  const name = form.getInputProps("name");
  const rename = (next: string) => {
    // The short name follows the name until the person types another one.
    if (form.values.slug === slugOf(form.values.name)) form.setFieldValue("slug", slugOf(next));
    form.setFieldValue("name", next);
  };
  return (
    <Stack gap="md">
      <TextInput
        label="Name"
        description="As your customers know you."
        autoComplete="organization"
        dir="auto"
        required
        {...name}
        onChange={(event) => rename(event.currentTarget.value)}
      />
      <TextInput
        label="Short name"
        description="A part of the addresses that customers see. It cannot be changed later."
        autoComplete="off"
        spellCheck={false}
        required
        {...form.getInputProps("slug")}
      />
      <Radio.Group
        label="Are you registered for VAT?"
        description="Who is not registered charges no VAT. You can change it in the settings."
        {...form.getInputProps("vatRegistered")}
      >
        <Group mt="xs">
          <Radio value="yes" label="Yes" />
          <Radio value="no" label="No, or not yet" />
        </Group>
      </Radio.Group>
      <Switch
        label="A sandbox: its money is not real"
        description="To try things out, with a clock that you set. It cannot be changed later."
        {...form.getInputProps("sandbox", { type: "checkbox" })}
      />
    </Stack>
  );
}
