import { List, NumberInput, Text } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Fieldset, type FormOf } from "../../components/form.tsx";
import { Loaded } from "../../components/frame.tsx";
import { counted, words } from "../../lib/words.ts";
import type { Values } from "./values.ts";

/** The number of months after which data are removed; the data that the law says to keep, and why. */
export function Retention({ form }: { readonly form: FormOf<Values> }) {
  const retention = useRecord(["/retention"], () => got(api.GET("/retention")));
  return (
    <Fieldset
      legend="Data retention"
      about="In months; left empty, nothing is removed before its time. What is older is removed each night, for good."
    >
      <Loaded of={retention}>
        {({ settings, byLaw }) => (
          <>
            {settings.map(({ what, about, least, most, removed }) => (
              <NumberInput
                key={what}
                label={words(what)}
                description={`${about} From ${least} to ${counted(most, "month")}.${removed > 0 ? ` Removed so far: ${removed}.` : ""}`}
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps(`retention.${what}`)}
              />
            ))}
            <Text size="sm">
              Kept by law, whatever is set here: until the end of the fifth year after the year of the return that
              covers the newest of a customer's records.
            </Text>
            <List size="sm">
              {byLaw.map(({ what, why }) => (
                <List.Item key={what}>{why}</List.Item>
              ))}
            </List>
          </>
        )}
      </Loaded>
    </Fieldset>
  );
}
