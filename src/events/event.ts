import type { z } from "zod";
import { assert } from "../kernel/assert.ts";

/** A kind of event that the service sends, as its resource declares it. `Data` is the schema of what `data` is in the API's words. */
export interface EventDeclaration<Data extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What `data` is, in a sentence, for the interface's description. */
  readonly about: string;
  readonly data: Data;
}

/** What may be appended as the data of an event: what the schema takes, lists and records read-only. */
export type DataOf<Declaration extends EventDeclaration> = Unchanging<z.input<Declaration["data"]>>;

type Unchanging<T> = T extends object ? { readonly [Key in keyof T]: Unchanging<T[Key]> } : T;

/** Words of small letters with a dot between them: no id and no reference of a record looks like that. */
const NAME = /^[a-z_]+(\.[a-z_]+)+$/;

/** Declares an event. Throws when its name is not words with dots between them. */
export function event<Data extends z.ZodType>(
  name: string,
  { about, data }: { about: string; data: Data },
): EventDeclaration<Data> {
  assert(isEventName(name), `${name} has the form of an event's name`);
  return { name, about, data };
}

/** Whether a text has the form of an event's name, and so can be no record's id or reference. */
export const isEventName = (text: string): boolean => NAME.test(text);
