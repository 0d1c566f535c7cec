import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, getFile, got, type Shape } from "../../api/client.ts";
import { Lacks } from "../../components/document-preview.tsx";
import { PdfPreview } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { type Device, type FieldError, LivePreview, PreviewFrame, PreviewWindow } from "../../components/preview.tsx";
import { Facts } from "../../components/resource-page.tsx";
import { Words } from "../../components/values.tsx";
import { bodyOf, type Values } from "./values.ts";

type Sample = Shape<"SettingsPreview">;
type Body = ReturnType<typeof bodyOf>;
type Screen = "pay" | "checkout" | "mail" | "invoice";

const SCREENS: readonly { readonly value: Screen; readonly label: string }[] = [
  { value: "pay", label: "Pay page" },
  { value: "checkout", label: "Checkout" },
  { value: "mail", label: "Mail" },
  { value: "invoice", label: "Invoice" },
];
const PATH = "/settings/preview";
const PDF_PATH = "/settings/preview/invoice.pdf";

/** The effect of the unsaved settings for customers: pages, a mail with an invoice, and its PDF. Nothing is saved. */
export function Preview({ values, fieldError }: { readonly values: Values; readonly fieldError: FieldError }) {
  const [screen, setScreen] = useState<Screen>("pay");
  const [device, setDevice] = useState<Device>("phone");
  const body = bodyOf(values);
  return (
    <PreviewFrame
      label="What is shown"
      screens={SCREENS}
      screen={screen}
      choose={setScreen}
      window={screen === "invoice" ? null : { device, choose: setDevice }}
    >
      <LivePreview
        name={[PATH]}
        body={body}
        read={(asked) => got(api.POST(PATH, { body: asked }))}
        fieldError={fieldError}
      >
        {(sample, madeOf) => <Shown sample={sample} screen={screen} device={device} madeOf={madeOf} />}
      </LivePreview>
    </PreviewFrame>
  );
}

function Shown({
  sample: { pages, mail, taxInvoice },
  screen,
  device,
  madeOf,
}: {
  readonly sample: Sample;
  readonly screen: Screen;
  readonly device: Device;
  readonly madeOf: Body;
}) {
  switch (screen) {
    case "invoice":
      return (
        <>
          <Lacks of={taxInvoice} />
          <Invoice of={madeOf} />
        </>
      );
    case "mail":
      return (
        <>
          <Facts
            of={[
              ["From", <Words key="from" of={mail.fromName} />],
              ["Replies to", <Words key="reply" of={mail.replyTo} />],
              ["Subject", <Words key="subject" of={mail.subject} />],
            ]}
          />
          <PreviewWindow device={device} html={mail.html} sandbox="" />
        </>
      );
    default:
      return <PreviewWindow device={device} html={pages[screen]} />;
  }
}

/** Its PDF, which is made only while it is shown. */
function Invoice({ of: body }: { readonly of: Body }) {
  const file = useQuery({
    queryKey: [PDF_PATH, JSON.stringify(body)],
    queryFn: () => getFile(PDF_PATH, body),
    placeholderData: keepPreviousData,
  });
  return <Loaded of={file}>{(read) => <PdfPreview file={read} label="Preview of an invoice" />}</Loaded>;
}
