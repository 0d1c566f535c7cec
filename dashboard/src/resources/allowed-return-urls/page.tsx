import { Skeleton, Stack, Text, Textarea, Title } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { editing } from "../../components/form.tsx";
import { Failure } from "../../components/notice.tsx";
import { SettingsForm } from "../../components/settings-form.tsx";
import { useTitle } from "../../components/title.ts";

const valuesOf = ({ origins }: { readonly origins: readonly string[] }) => ({ origins: origins.join("\n") });

/** The origins that return URLs may have, one on each line. */
export function Page() {
  useTitle("Return URLs");
  const may = useMay();
  const allowed = useRecord(["/allowed-return-urls"], () => got(api.GET("/allowed-return-urls")));
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Return URLs
      </Title>
      <Text c="dimmed" maw={640}>
        After a payment, customers go back to an address that your system names. It may only name addresses of these
        sites.
      </Text>
      {allowed.isPending && <Skeleton height={160} aria-busy="true" aria-label="Loading" />}
      {allowed.isError && <Failure error={allowed.error} again={() => void allowed.refetch()} />}
      {allowed.data && (
        <SettingsForm
          initial={valuesOf(allowed.data)}
          edits={editing(allowed.data, valuesOf)}
          readOnly={!may("settings:write")}
          fields={(form) => (
            <Textarea
              label="Sites"
              description="One on each line, such as https://shop.example, without a path."
              autosize
              minRows={4}
              autoComplete="off"
              {...form.getInputProps("origins")}
              error={Object.entries(form.errors).find(([name]) => name.startsWith("origins"))?.[1]}
            />
          )}
          send={({ origins }, _keyFor, edit) => {
            const list = origins.split(/\s+/).filter((origin) => origin !== "");
            return got(api.PUT("/allowed-return-urls", { body: edit({ origins: list }) }));
          }}
          touches={["/allowed-return-urls", "/audit-log"]}
          said="Sites saved"
        />
      )}
    </Stack>
  );
}
