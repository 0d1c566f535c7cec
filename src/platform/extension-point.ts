import { assert } from "../kernel/assert.ts";

/** The entries that a process has added to all extension points; made once, in the catalogue. */
export class Extensions {
  constructor(added: readonly Extension[]) {
    for (const addTo of added) addTo(this);
  }
}

/** An entry of an extension point, to be added to the extensions of a process. */
export type Extension = (extensions: Extensions) => void;

/**
 * What a use case calls without knowing who answers: its file declares the point, the owner of each entry declares its
 * entry, and the catalogue adds it. So a use case never imports a resource that stands above it
 * (decisions.md#owners-add-entries).
 */
export class ExtensionPoint<Entry> {
  readonly #entries = new WeakMap<Extensions, readonly Entry[]>();
  readonly #compare: (one: Entry, other: Entry) => number;

  /** `compare` orders the entries; without it they stand in the catalogue's order. */
  constructor(compare: (one: Entry, other: Entry) => number = () => 0) {
    this.#compare = compare;
  }

  /** Adds an entry; the catalogue lists it with its resource. */
  with(entry: Entry): Extension {
    return (extensions) =>
      void this.#entries.set(extensions, [...this.of({ extensions }), entry].toSorted(this.#compare));
  }

  /** The only entry. Throws an AssertionError when there is another number of them. */
  only(of: { readonly extensions: Extensions }): Entry {
    const [entry, ...others] = this.of(of);
    assert(entry !== undefined && others.length === 0, "the catalogue adds one entry to this extension point");
    return entry;
  }

  /** All entries. */
  of({ extensions }: { readonly extensions: Extensions }): readonly Entry[] {
    return this.#entries.get(extensions) ?? [];
  }
}
