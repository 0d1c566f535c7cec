const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/.*)?$/;

/** Whether backups go to a bucket rather than to a folder. */
export const isBucket = (target: string): boolean => target.startsWith("s3://");

/** Whether backups can go there: to any folder, or to a bucket whose URL has the right form. */
export const isPlace = (target: string): boolean => !isBucket(target) || BUCKET.test(target);

/** What is said of an address that is no place. */
export const PLACE_RULE = "must be the path of a folder, or look like s3://bucket/prefix";
