import { linkKeysByMaster } from "../../modules/organisations/store.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import type { Services } from "../services.ts";

/** Throws an Error, to be shown to a person, when SECRET_KEY can decrypt nothing in this database. */
export async function refuseWrongKey(services: Pick<Services, "db" | "secrets">): Promise<void> {
  const samples = await linkKeysByMaster(services.db);
  const opens = (sample: (typeof samples)[number]) => {
    try {
      return linkKeyOf(services.secrets, sample).length > 0;
    } catch {
      return false;
    }
  };
  if (samples.length > 0 && !samples.some(opens))
    throw new Error(
      "SECRET_KEY opens nothing in this database, which was encrypted under another. Set that one; " +
        "to change keys, name it in SECRET_KEY_PREVIOUS.",
    );
}
