import { words } from "../lib/words.ts";
import { RecordName, Words } from "./values.tsx";

/** The actor of an audit entry. API keys have their present names. */
export const Actor = ({
  of: { kind, id, name },
}: {
  readonly of: { readonly kind: string; readonly id: string | null; readonly name: string | null };
}) =>
  kind === "key" && id !== null ? (
    <>
      API key <RecordName id={id} known={name} />
    </>
  ) : (
    <Words of={name ?? (kind === "system" ? "Tefo" : words(kind))} />
  );
