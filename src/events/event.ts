import type { z } from "zod";
import { assert } from "../kernel/assert.ts";

/** The version of the API (interface 9.4, 4.1), by which the data of events is written. */
export const API_VERSION = "1.16.0";

/** A kind of event that the service sends, as its resource declares it. `Data` is the schema of the event's `data`, as the API shows it. */
export interface EventDeclaration<Data extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** A sentence about `data`, for the OpenAPI document. */
  readonly about: string;
  readonly data: Data;
  /** Whether the service acts on it (the catalogue's reactions), so that its due work is enqueued though no endpoint gets it. */
  readonly reacts: boolean;
}

/** What may be appended as the data of an event: the input of its schema, with lists and objects read-only. */
export type DataOf<Declaration extends EventDeclaration> = Unchanging<z.input<Declaration["data"]>>;

type Unchanging<T> = T extends object ? { readonly [Key in keyof T]: Unchanging<T[Key]> } : T;

/** Lower-case words with dots between them; ids and references of records never have this form. */
const NAME = /^[a-z_]+(\.[a-z_]+)+$/;

/** Declares an event. Throws when its name does not have the form of `NAME`. */
export function event<Data extends z.ZodType>(
  name: string,
  { about, data, reacts = false }: { about: string; data: Data; reacts?: boolean },
): EventDeclaration<Data> {
  assert(isEventName(name), `${name} has the form of an event's name`);
  return { name, about, data, reacts };
}

/** Whether a text has the form of an event's name, and so can be no record's id or reference. */
export const isEventName = (text: string): boolean => NAME.test(text);
