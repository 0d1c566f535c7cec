/** What a page is called, and a sentence about it. */
export interface Head {
  readonly title: string;
  readonly about: string;
}

/** A page of the site before it is rendered. */
export interface Page {
  /** `/docs/guides/quickstart` */
  readonly path: string;
  /** The group of the navigation that it belongs to. */
  readonly section: string;
  /** Its text, whose links lead to paths of the site; made when somebody asks for it. */
  markdown(): string;
  /** Where it is known without the text. */
  readonly head?: Head;
  /** Whether the page above it leads to it, and the navigation does not. */
  readonly below?: true;
}
