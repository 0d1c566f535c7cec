import { Checkbox, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { ShownOnce } from "../../components/shown-once.tsx";

const INITIAL = { name: "", charges: false };

/** The form of a new key, which is shown once when it is made. */
export const Page = () => (
  <ShownOnce
    title="New API key"
    back="/api-keys"
    initial={INITIAL}
    fields={(form) => (
      <>
        <TextInput
          label="Name"
          description="What uses it, such as the shop's server."
          autoComplete="off"
          dir="auto"
          {...form.getInputProps("name")}
        />
        <Checkbox
          label="May charge saved cards"
          description="Without the customer being there. Give it to the one key that needs it."
          {...form.getInputProps("charges", { type: "checkbox" })}
        />
      </>
    )}
    label="Make the key"
    send={({ name, charges }) =>
      got(api.POST("/api-keys", { body: { name: name.trim(), permissions: charges ? ["charge_saved_cards"] : [] } }))
    }
    touches={["/api-keys", "/audit-log"]}
    secret={({ key }) => ({
      label: "The key",
      value: key,
      about: "Keep it where your server reads its secrets. It is not shown again; who loses it makes a new one.",
    })}
  />
);
