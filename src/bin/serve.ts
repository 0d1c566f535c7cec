import { serve } from "../app/serve.ts";

/* npm start: one process of the service, as the environment describes it (interface 11.1). */

// Ends the process even when a handle is still open.
process.exit(await serve(process.env));
