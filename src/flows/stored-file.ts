import type { Tx } from "../platform/database.ts";
import type { Ctx } from "./context.ts";
import type { Services } from "./services.ts";

/**
 * How much of a stored file is read at once: the database sends it as text of twice the length, which takes the event
 * loop some milliseconds.
 */
const PIECE_BYTES = 512 * 1024;

/** Reads a piece of a file, from the byte `from`, counted from 0; null when the file is gone. Empty at its end. */
type ReadPiece = (tx: Tx, span: { readonly from: number; readonly bytes: number }) => Promise<Buffer | null>;

/**
 * The bytes of a stored file, in pieces; none when it was deleted. Throws when it is deleted meanwhile, so that nobody
 * takes a part for the whole.
 */
export async function* storedFile(
  db: Services["db"],
  { organisation }: Pick<Ctx, "organisation">,
  readPiece: ReadPiece,
): AsyncGenerator<Buffer> {
  for (let from = 0; ; from += PIECE_BYTES) {
    const piece = await db.read(organisation.id, (tx) => readPiece(tx, { from, bytes: PIECE_BYTES }));
    if (!piece && from > 0) throw new Error("the file was erased while it was read");
    if (!piece?.length) return;
    yield piece;
    if (piece.length < PIECE_BYTES) return;
  }
}
