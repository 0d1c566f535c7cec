import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { Loaded } from "../../components/frame.tsx";
import { bodyOf, type Values } from "./values.ts";

type Screen = "page" | "success" | "failure";
type Device = "phone" | "desktop";

/** Widths of the windows that are shown, in pixels; a desktop's is drawn smaller. */
const WIDTH: Readonly<Record<Device, number>> = { phone: 375, desktop: 1280 };

/** The pages that a design makes, on a phone or a desktop, without saving it. They run no script and lead nowhere. */
export function Preview({ values }: { readonly values: Values }) {
  const [screen, setScreen] = useState<Screen>("page");
  const [device, setDevice] = useState<Device>("phone");
  const [body] = useDebouncedValue(JSON.stringify(bodyOf(values)), 400);
  const preview = useQuery({
    queryKey: ["/checkout-pages", "preview", body],
    queryFn: () => got(api.POST("/checkout-pages/preview", { body: JSON.parse(body) as ReturnType<typeof bodyOf> })),
    placeholderData: keepPreviousData,
  });
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
        <SegmentedControl
          aria-label="Window"
          value={device}
          onChange={(value) => setDevice(value as Device)}
          data={[
            { value: "phone", label: "Phone" },
            { value: "desktop", label: "Desktop" },
          ]}
        />
      </Group>
      <Loaded of={preview}>
        {(pages) => (
          <div className="tefo-window" data-device={device}>
            <iframe
              title={`Preview on a ${device}`}
              sandbox="allow-same-origin"
              width={WIDTH[device]}
              srcDoc={pageOf(pages, screen, values.template)}
            />
          </div>
        )}
      </Loaded>
    </Stack>
  );
}

interface Pages {
  readonly templates: Readonly<Record<Shape<"CheckoutPage">["template"], string>>;
  readonly results: Readonly<Record<"success" | "failure", string>>;
}

const pageOf = ({ templates, results }: Pages, screen: Screen, template: Values["template"]): string =>
  screen === "page" ? templates[template] : results[screen];
