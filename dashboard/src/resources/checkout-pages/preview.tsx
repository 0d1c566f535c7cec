import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { type Device, DeviceChoice, type FieldError, LivePreview, PreviewWindow } from "../../components/preview.tsx";
import { bodyOf, type Values } from "./values.ts";

type Screen = "page" | "success" | "failure";

/** The pages of a design, on a phone or a desktop, without saving it. They run no script and follow no link. */
export function Preview({ values, fieldError }: { readonly values: Values; readonly fieldError: FieldError }) {
  const [screen, setScreen] = useState<Screen>("page");
  const [device, setDevice] = useState<Device>("phone");
  return (
    <Stack gap="sm" component="section" aria-label="Preview" className="tefo-preview">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Page"
          value={screen}
          onChange={(value) => setScreen(value as Screen)}
          data={[
            { value: "page", label: "Checkout" },
            { value: "success", label: "Paid" },
            { value: "failure", label: "Failed" },
          ]}
        />
        <DeviceChoice value={device} choose={setDevice} />
      </Group>
      <LivePreview
        name={["/checkout-pages", "preview"]}
        body={bodyOf(values)}
        read={(body) => got(api.POST("/checkout-pages/preview", { body }))}
        fieldError={fieldError}
      >
        {(pages, { template }) => <PreviewWindow device={device} html={pageOf(pages, screen, template)} />}
      </LivePreview>
    </Stack>
  );
}

interface Pages {
  readonly templates: Readonly<Record<Shape<"CheckoutPage">["template"], string>>;
  readonly results: Readonly<Record<"success" | "failure", string>>;
}

const pageOf = ({ templates, results }: Pages, screen: Screen, template: Values["template"]): string =>
  screen === "page" ? templates[template] : results[screen];
