import { toTimestamp } from "../../kernel/time.ts";
import type { LoggedRequest } from "./types.ts";

/** Interface 14.4, request. */
export const requestView = ({ at, parameters, keyId, keyPrefix, ...request }: LoggedRequest) => ({
  ...request,
  at: toTimestamp(at),
  parameters: parameters === "" ? [] : parameters.split("&"),
  key: { id: keyId, prefix: `tefo_${keyPrefix}` },
});
