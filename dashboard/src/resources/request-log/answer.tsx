import type { Shape } from "../../api/client.ts";

/** The status of an answer, with the code of a refusal; its colour repeats the meaning of the status. */
export const Answer = ({ of: { status, error } }: { readonly of: Pick<Shape<"Request">, "status" | "error"> }) => (
  <span className="tefo-status" data-tone={status >= 500 ? "bad" : status >= 400 ? "wait" : "good"}>
    {error === null ? status : `${status} ${error}`}
  </span>
);
