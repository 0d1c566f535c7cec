import { Checkbox, Skeleton, Stack, TextInput } from "@mantine/core";
import { api, got, type paths } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Fieldset, type FormOf } from "../../components/form.tsx";
import { Failure } from "../../components/notice.tsx";
import { words } from "../../lib/words.ts";

/** Kinds of events, as an endpoint names them. */
export type Subscribed = NonNullable<
  paths["/webhook-endpoints"]["post"]["requestBody"]["content"]["application/json"]["events"]
>;

/** The values of an endpoint's form. */
export const EMPTY = { url: "", all: true, events: [] as string[] };
export type Values = typeof EMPTY;

/** The events that are sent to the API. */
export const eventsOf = ({ all, events }: Values): Subscribed => (all ? ["*"] : events) as Subscribed;

/** The address, and the events that are sent to it. */
export const fields = (form: FormOf<Values>) => (
  <>
    <TextInput
      label="Address"
      withAsterisk
      description="It begins with https:// and answers within ten seconds with a status of 200 to 299."
      type="url"
      autoComplete="off"
      placeholder="https://shop.example/tefo"
      {...form.getInputProps("url")}
    />
    <Checkbox
      label="All events, also kinds that come later"
      {...form.getInputProps("all", { type: "checkbox" })}
      error={form.errors["events"]}
    />
    {!form.values.all && <Picker form={form} />}
  </>
);

/** The subject of an event: the part before the last dot of its name. */
const familyOf = (type: string) => type.slice(0, type.lastIndexOf("."));

function Picker({ form }: { readonly form: FormOf<Values> }) {
  const types = useRecord(["/event-types"], () => got(api.GET("/event-types")));
  if (types.isPending) return <Skeleton height={200} aria-busy="true" aria-label="Loading" />;
  if (types.isError) return <Failure error={types.error} again={() => void types.refetch()} />;
  const kinds = types.data.data;
  const families = new Set(kinds.map(({ type }) => familyOf(type)));
  const { events } = form.values;
  const toggle = (type: string) =>
    form.setFieldValue("events", events.includes(type) ? events.filter((one) => one !== type) : [...events, type]);
  return (
    <Stack gap="md">
      {[...families].map((family) => (
        <Fieldset key={family} legend={words(family)}>
          {kinds
            .filter(({ type }) => familyOf(type) === family)
            .map(({ type, about }) => (
              <Checkbox
                key={type}
                label={type}
                description={about.replaceAll("`", "")}
                checked={events.includes(type)}
                onChange={() => toggle(type)}
              />
            ))}
        </Fieldset>
      ))}
    </Stack>
  );
}
