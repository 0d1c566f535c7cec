import { Alert, Button, type ButtonProps, Skeleton, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { type ApiFile, getFile } from "../api/client.ts";
import { messageOf } from "../api/failure.ts";
import { useRecord } from "../api/records.ts";
import { Icon } from "./icon.tsx";
import { Failure } from "./notice.tsx";

/** Saves a file through the browser. */
function keep({ name, content }: ApiFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has started the download when this task ends.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A button that downloads a file of the API, such as a PDF. `path` is below the API. */
export function FileButton({
  path,
  children,
  ...props
}: ButtonProps & { readonly path: string; readonly children: ReactNode }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const read = async () => {
    setBusy(true);
    setError(null);
    try {
      keep(await getFile(path));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="down" size={16} />}
        {...props}
        loading={busy}
        onClick={() => void read()}
      >
        {children}
      </Button>
      {error !== null && (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      )}
    </>
  );
}

const IMAGES = ["image/png", "image/jpeg"];
const PDF = "application/pdf";

/** An address of a file in memory, which is shown as `type`; null without a file or a type. */
function useAddress(content: Blob | undefined, type: string | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!content || type === null) return;
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}

/** Shows a PDF that was read, with a button that downloads it: phones show no PDF in a page. */
export function PdfPreview({ file, label }: { readonly file: ApiFile; readonly label: string }) {
  const url = useAddress(file.content, PDF);
  return (
    <Stack gap="sm">
      {!navigator.pdfViewerEnabled && <Text size="sm">This browser shows no PDF in a page.</Text>}
      {url && navigator.pdfViewerEnabled && <iframe className="tefo-proof" src={url} title={label} />}
      <Button
        variant="default"
        leftSection={<Icon name="down" size={16} />}
        style={{ alignSelf: "flex-start" }}
        onClick={() => keep(file)}
      >
        Download as PDF
      </Button>
    </Stack>
  );
}

/**
 * Shows a picture or PDF of the API in the page. `contentType` is the type that the API has found, not the sender's
 * file name; other kinds can only be downloaded.
 */
export function FilePreview({
  path,
  contentType,
  label,
}: {
  readonly path: string;
  readonly contentType: string;
  readonly label: string;
}) {
  const file = useRecord(["/files", path], () => getFile(path));
  const content = file.data?.content;
  const url = useAddress(content, [...IMAGES, PDF].includes(contentType) ? contentType : null);
  if (file.isError) return <Failure error={file.error} again={() => void file.refetch()} />;
  return (
    <Stack gap="sm" align="stretch">
      {file.isPending && <Skeleton height={240} aria-busy="true" aria-label="Loading" />}
      {url && IMAGES.includes(contentType) && <img className="tefo-proof" src={url} alt={label} />}
      {url && contentType === PDF && <iframe className="tefo-proof" src={url} title={label} />}
      {content && url === null && ![...IMAGES, PDF].includes(contentType) && (
        <Text size="sm">This kind of file is not shown here. Download it to look at it.</Text>
      )}
    </Stack>
  );
}
