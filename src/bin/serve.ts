import { serve } from "../app/serve.ts";

/* npm start: one process of the service, as the environment describes it (interface 11.1). */

// Whatever is still open after everything was closed keeps nobody waiting.
process.exit(await serve(process.env));
