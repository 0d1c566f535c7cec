import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import tar from "tar-fs";

/** What stands before the data in a backup. */
export interface BackupHead {
  readonly format: 1;
  /** Time of the machine. */
  readonly createdAt: string;
  /** Of this service. */
  readonly version: string;
  /** Password of the cluster's role `tefo`. */
  readonly password: string;
}

/** Passwords are 256 random bits: stretching them would only cost time. */
const SCRYPT_LOG_N = 10;
const HEAD_BYTES_MAX = 4096;

/**
 * A backup: the head, and the tar of a data directory, compressed and encrypted in the format of age (age-encryption.org) with the key as
 * its passphrase, in base64.
 */
export async function packBackup(head: BackupHead, data: Readable, key: Buffer): Promise<Readable> {
  const age = new Encrypter();
  age.setPassphrase(key.toString("base64"));
  age.setScryptWorkFactor(SCRYPT_LOG_N);
  const packed = data.compose(withHead(head)).compose(createGzip({ level: 3 }));
  return Readable.fromWeb(await age.encrypt(Readable.toWeb(packed)));
}

/**
 * Unpacks a backup into `directory`, which must not exist, with the first of the keys that opens it. Throws when none
 * does, or when it was changed or cut off; the folder is then incomplete. `address` names it in errors.
 */
export async function readBackup(
  { address, content }: { readonly address: string; readonly content: Readable },
  directory: string,
  keys: readonly Buffer[],
): Promise<BackupHead> {
  const age = new Decrypter();
  for (const key of keys) age.addPassphrase(key.toString("base64"));
  const opened = await age.decrypt(Readable.toWeb(content)).catch((cause) => {
    content.destroy();
    throw new Error(`${address} cannot be opened with this SECRET_KEY, or is no backup.`, { cause });
  });
  const reader = new HeadReader();
  // Its owner is given to it at the first start. (The types do not know the option.)
  const unpacked = tar.extract(directory, { chown: false } as tar.ExtractOptions);
  // By its iterator: `fromWeb` would report a wrong file a second time, when nobody listens any more, and end the process.
  await pipeline(Readable.from(opened), createGunzip(), reader, unpacked);
  return reader.head();
}

/** Puts the head, as one line of JSON, before the data. */
const withHead = (head: BackupHead) =>
  async function* (data: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield Buffer.from(`${JSON.stringify(head)}\n`);
    yield* data;
  };

/** Takes the head off, and passes on the rest. */
class HeadReader extends Transform {
  #line: Buffer | null = Buffer.alloc(0);
  #head: BackupHead | null = null;

  head(): BackupHead {
    if (!this.#head) throw new Error("The backup has no head.");
    return this.#head;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: Error | null, data?: Buffer) => void) {
    if (this.#line === null) return done(null, chunk);
    this.#line = Buffer.concat([this.#line, chunk]);
    const end = this.#line.indexOf("\n");
    if (end < 0) return done(this.#line.length > HEAD_BYTES_MAX ? new Error("This is no backup.") : null);
    const head = JSON.parse(this.#line.toString("utf8", 0, end)) as BackupHead;
    if (head.format !== 1) return done(new Error(`This build cannot read a backup of format ${head.format}.`));
    const rest = this.#line.subarray(end + 1);
    [this.#head, this.#line] = [head, null];
    done(null, rest);
  }
}
