import { resolve } from "node:path";
import { type BackupPlace, folderPlace } from "../platform/backup-places.ts";
import { bucketPlace } from "../platform/bucket.ts";
import { isBucket, isPlace, PLACE_RULE } from "./bucket-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder or the bucket of this address. A bucket's key, region and service come from the variables that every tool for
 * S3 reads; `endpoint` is used in place of theirs. Throws an Error that names the variable that is missing or wrong.
 */
export function backupPlace(target: string, environment: Environment, endpoint: string | null = null): BackupPlace {
  if (!isBucket(target)) return folderPlace(resolve(target));
  if (!isPlace(target)) throw new Error(`${target} ${PLACE_RULE}.`);
  const value = (name: string): string | null => environment[name]?.trim() || null;
  const required = (name: string): string => {
    const given = value(name);
    if (given === null) throw new Error(`${name} is required with ${target}: the key of the bucket.`);
    return given;
  };
  const region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? "us-east-1";
  const own = endpoint ?? value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL");
  if (own !== null && !(/^https?:\/\/[^/?#]+\/?$/.test(own) && URL.canParse(own)))
    throw new Error(
      `The address ${own} of the bucket's service must be an http or https URL without a path (AWS_ENDPOINT_URL).`,
    );
  return bucketPlace({
    url: target,
    endpoint: own ?? `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId: required("AWS_ACCESS_KEY_ID"),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY"),
    sessionToken: value("AWS_SESSION_TOKEN"),
  });
}

/** A backup by its path or URL: where it is, and its name there. */
export function namedBackup(target: string, environment: Environment, endpoint: string | null) {
  const path = isBucket(target) ? target : resolve(target);
  const at = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
  return { place: backupPlace(folder || "/", environment, endpoint), name };
}
