import { Skeleton, Stack, Title } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { editing } from "../../components/form.tsx";
import { Failure } from "../../components/notice.tsx";
import { Sections } from "../../components/sections.tsx";
import { SettingsForm } from "../../components/settings-form.tsx";
import { useTitle } from "../../components/title.ts";
import { SECTIONS } from "./fields.tsx";
import { Preview } from "./preview.tsx";
import { bodyOf, valuesOf } from "./values.ts";

/** The settings of the organisation. */
export function Page() {
  useTitle("Settings");
  const may = useMay();
  const settings = useRecord(["/settings"], () => got(api.GET("/settings")));
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Settings
      </Title>
      {settings.isPending && <Skeleton height={400} aria-busy="true" aria-label="Loading" />}
      {settings.isError && <Failure error={settings.error} again={() => void settings.refetch()} />}
      {settings.data && (
        <SettingsForm
          initial={valuesOf(settings.data)}
          edits={editing(settings.data, valuesOf)}
          readOnly={!may("settings:write")}
          fields={(form, refused) => (
            <Sections form={form} refused={refused} label="Sections of the settings" sections={SECTIONS} />
          )}
          beside={(form) => <Preview values={form.values} fieldError={form.setFieldError} />}
          send={(values, _keyFor, edit) => got(api.PATCH("/settings", { body: edit(bodyOf(values)) }))}
          touches={["/settings", "/retention", "/audit-log"]}
          said="Settings saved"
        />
      )}
    </Stack>
  );
}
