import { event } from "../../events/event.ts";
import { EndpointTest } from "./schema.ts";

export const ENDPOINT_TEST = event("endpoint.test", {
  about: "`{endpointId}`: a test that staff asked for.",
  data: EndpointTest,
});
