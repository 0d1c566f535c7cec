import { z } from "zod";

const ORIGINS_MAX = 100;
const ORIGIN_CHARACTERS_MAX = 300;

/** Body and reply of `/allowed-return-urls` (interface 14.2); `kernel/urls.ts` checks the origins. */
export const AllowedReturnUrls = z
  .object({
    origins: z
      .array(z.string().max(ORIGIN_CHARACTERS_MAX, `must be at most ${ORIGIN_CHARACTERS_MAX} characters`))
      .max(ORIGINS_MAX, `must name at most ${ORIGINS_MAX} origins`)
      .meta({ examples: [["https://shop.example"]] }),
  })
  .meta({ id: "AllowedReturnUrls" });
