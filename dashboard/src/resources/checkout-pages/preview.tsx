import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { type Device, type FieldError, LivePreview, PreviewFrame, PreviewWindow } from "../../components/preview.tsx";
import { bodyOf, type Values } from "./values.ts";

type Screen = "page" | "success" | "failure";

const SCREENS: readonly { readonly value: Screen; readonly label: string }[] = [
  { value: "page", label: "Checkout" },
  { value: "success", label: "Paid" },
  { value: "failure", label: "Failed" },
];

/** The pages of a design, on a phone or a desktop, without saving it. They run no script and follow no link. */
export function Preview({ values, fieldError }: { readonly values: Values; readonly fieldError: FieldError }) {
  const [screen, setScreen] = useState<Screen>("page");
  const [device, setDevice] = useState<Device>("phone");
  return (
    <PreviewFrame
      label="Page"
      screens={SCREENS}
      screen={screen}
      choose={setScreen}
      window={{ device, choose: setDevice }}
    >
      <LivePreview
        name={["/checkout-pages", "preview"]}
        body={bodyOf(values)}
        read={(body) => got(api.POST("/checkout-pages/preview", { body }))}
        fieldError={fieldError}
      >
        {(pages, { template }) => <PreviewWindow device={device} html={pageOf(pages, screen, template)} />}
      </LivePreview>
    </PreviewFrame>
  );
}

interface Pages {
  readonly templates: Readonly<Record<Shape<"CheckoutPage">["template"], string>>;
  readonly results: Readonly<Record<"success" | "failure", string>>;
}

const pageOf = ({ templates, results }: Pages, screen: Screen, template: Values["template"]): string =>
  screen === "page" ? templates[template] : results[screen];
