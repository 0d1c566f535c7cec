import { Alert, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue, useElementSize } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { ApiFailure, messageOf } from "../api/failure.ts";

/** The kinds of windows. */
export type Device = "phone" | "desktop";

/** A desktop's window, in pixels: its width, which is scaled to the available width, and its height on the page. */
const DESKTOP = { width: 1280, height: 384 };

/** The choice between windows. */
const DeviceChoice = ({ value, choose }: { readonly value: Device; choose(device: Device): void }) => (
  <SegmentedControl
    aria-label="Window"
    value={value}
    onChange={(chosen) => choose(chosen as Device)}
    data={[
      { value: "phone", label: "Phone" },
      { value: "desktop", label: "Desktop" },
    ]}
  />
);

/** A preview beside a form: the choice of what is shown, and of the window where it is shown in one. */
export const PreviewFrame = <Screen extends string>({
  label,
  screens,
  screen,
  choose,
  window,
  children,
}: {
  readonly label: string;
  readonly screens: readonly { readonly value: Screen; readonly label: string }[];
  readonly screen: Screen;
  choose(screen: NoInfer<Screen>): void;
  /** Null: it is shown in none. */
  readonly window: { readonly device: Device; choose(device: Device): void } | null;
  readonly children: ReactNode;
}) => (
  <Stack gap="sm" component="section" aria-label="Preview" className="tefo-preview">
    <Group gap="sm">
      <SegmentedControl
        aria-label={label}
        value={screen}
        onChange={(value) => choose(value as Screen)}
        data={[...screens]}
      />
      {window && <DeviceChoice value={window.device} choose={window.choose} />}
    </Group>
    {children}
  </Stack>
);

/** Links ask for a window of their own, which the sandbox refuses: otherwise a click would replace the preview. */
const leadingNowhere = (html: string): string => html.replace("<head>", '<head><base target="_blank">');

/** A page or a mail in a window. It runs no script and follows no link; only a page of this service may load its style sheets. */
export const PreviewWindow = ({
  device,
  html,
  sandbox = "allow-same-origin",
}: {
  readonly device: Device;
  readonly html: string;
  readonly sandbox?: "allow-same-origin" | "";
}) => {
  const { ref, width } = useElementSize();
  const scale = width / DESKTOP.width || 1;
  const drawn = { width: DESKTOP.width, height: DESKTOP.height / scale, transform: `scale(${scale})` };
  return (
    <div className="tefo-window" data-device={device} ref={ref}>
      <iframe
        title={`Preview on a ${device}`}
        sandbox={sandbox}
        srcDoc={leadingNowhere(html)}
        style={device === "desktop" ? drawn : undefined}
      />
    </div>
  );
};

/** Puts an error beside the field at a path, such as `branding.accentColour`. */
export type FieldError = (path: string, message: string) => void;

/**
 * Asks the API, by `read`, for a preview of unsaved values, and again when they have changed. A refused value is shown
 * beside its field, and above the last preview, which stays.
 */
export function LivePreview<Body extends object, Shown>({
  name,
  body,
  read,
  fieldError,
  children,
}: {
  /** The key of the query, such as `["/settings", "preview"]`. */
  readonly name: readonly string[];
  readonly body: Body;
  read(body: Body): Promise<Shown>;
  readonly fieldError: FieldError;
  /** `madeOf`: the values in the preview. */
  readonly children: (shown: Shown, madeOf: Body) => ReactNode;
}) {
  const [asked] = useDebouncedValue(JSON.stringify(body), 400);
  const { data, error } = useQuery({ queryKey: [...name, asked], queryFn: () => read(JSON.parse(asked) as Body) });
  const [last, setLast] = useState<{ readonly shown: Shown; readonly madeOf: Body } | null>(null);
  useEffect(() => {
    if (data !== undefined) setLast({ shown: data, madeOf: JSON.parse(asked) as Body });
  }, [data, asked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once for each answer
  useEffect(() => {
    if (error instanceof ApiFailure) for (const { path, message } of error.faults) fieldError(path, message);
  }, [error]);
  return (
    <>
      {error && (
        <Alert color="orange" role="status" title="Not shown as you have it now">
          <Text size="sm">{messageOf(error)}</Text>
        </Alert>
      )}
      {last === null
        ? !error && <Skeleton height={300} aria-busy="true" aria-label="Loading" />
        : children(last.shown, last.madeOf)}
    </>
  );
}
