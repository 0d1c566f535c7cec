import { serve } from "../app/serve.ts";

/* npm start: one process of the service, as the environment describes it (contract 2). */

process.exitCode = await serve(process.env);
