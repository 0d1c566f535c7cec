import { Alert, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Shape } from "../api/client.ts";
import { PdfPreview } from "./file.tsx";
import { type Device, LivePreview, PreviewFrame, PreviewWindow } from "./preview.tsx";
import { Facts } from "./resource-page.tsx";
import { Words } from "./values.tsx";

type Preview = Shape<"DocumentPreview">;
type Screen = "document" | "mail" | "page";

const SCREENS: readonly { readonly value: Screen; readonly label: string }[] = [
  { value: "document", label: "Document" },
  { value: "mail", label: "Email" },
  { value: "page", label: "Customer's page" },
];

/** What the customer would get of the values in a form, beside it: the document, its email and its page. Nothing is saved. */
export function DocumentPreview<Body extends object>({
  record,
  name,
  body,
  read,
}: {
  /** How the document is called, such as `invoice`. */
  readonly record: string;
  /** The key of the query, such as `["/invoices", "preview"]`. */
  readonly name: readonly string[];
  /** Null while the form lacks what a document must have. */
  readonly body: Body | null;
  read(body: Body): Promise<Preview>;
}) {
  const [screen, setScreen] = useState<Screen>(navigator.pdfViewerEnabled ? "document" : "page");
  const [device, setDevice] = useState<Device>("phone");
  // What was shown stays while a field is being typed in and the form is not whole.
  const [shown, setShown] = useState(body);
  if (body !== null && JSON.stringify(body) !== JSON.stringify(shown)) setShown(body);
  return (
    <PreviewFrame
      label="What is shown"
      screens={SCREENS}
      screen={screen}
      choose={setScreen}
      window={screen === "document" ? null : { device, choose: setDevice }}
    >
      {shown === null ? (
        <Text size="sm" c="dimmed">
          The {record} appears here as the customer will get it, once it has a customer and an item.
        </Text>
      ) : (
        <LivePreview name={name} body={shown} read={read} fieldError={() => undefined}>
          {(preview) => (
            <>
              <Lacks of={preview.taxInvoice} />
              <Shown preview={preview} screen={screen} device={device} record={record} />
            </>
          )}
        </LivePreview>
      )}
    </PreviewFrame>
  );
}

/** What an invoice lacks to be a tax invoice; nothing when it lacks nothing. */
export const Lacks = ({ of }: { readonly of: Preview["taxInvoice"] }) =>
  of === null || of.problems.length === 0 ? null : (
    <Alert color="orange" title="Not a tax invoice yet">
      <Text size="sm">It needs {of.problems.map(({ what }) => what).join(", ")}.</Text>
    </Alert>
  );

function Shown({
  preview: { number, page, mail, pdf },
  screen,
  device,
  record,
}: {
  readonly preview: Preview;
  readonly screen: Screen;
  readonly device: Device;
  readonly record: string;
}) {
  const file = useMemo(
    () => ({ name: `${number}.pdf`, content: new Blob([Uint8Array.from(atob(pdf), (sign) => sign.charCodeAt(0))]) }),
    [number, pdf],
  );
  if (screen === "document") return <PdfPreview file={file} label={`Preview of the ${record}`} />;
  if (screen === "mail")
    return (
      <>
        <Facts
          of={[
            ["From", <Words key="from" of={mail.fromName} />],
            ["Subject", <Words key="subject" of={mail.subject} />],
          ]}
        />
        <PreviewWindow device={device} html={mail.html} sandbox="" />
      </>
    );
  return page === null ? (
    <Text size="sm">No gateway can collect it online, so the customer gets no page to pay on.</Text>
  ) : (
    <PreviewWindow device={device} html={page} />
  );
}
