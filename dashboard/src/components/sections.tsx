import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { FormOf } from "./form.tsx";

/** A part of a long form. */
export interface Section<Values> {
  readonly name: string;
  readonly label: string;
  /** With what the names of its values begin: the section of a faulty one is shown. */
  readonly of: readonly string[];
  fields(form: FormOf<Values>): ReactNode;
}

const isFaulty = <Values,>({ of }: Section<Values>, errors: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(errors).some(([path, error]) => Boolean(error) && of.some((name) => path.startsWith(name)));

/**
 * One form in sections, of which the one that the address names is shown; what is typed in the others stays. When saving is refused for
 * something in a section that is not shown, that is shown.
 */
export function Sections<Values>({
  form,
  refused,
  label,
  sections,
}: {
  readonly form: FormOf<Values>;
  /** Why the form was not saved; null when it was not sent, or was saved. */
  readonly refused: unknown;
  /** What the sections are of, for screen readers. */
  readonly label: string;
  readonly sections: readonly [Section<Values>, ...Section<Values>[]];
}) {
  const { section: asked } = useLocation().search as { section?: string };
  const navigate = useNavigate();
  const { name: shown } = sections.find(({ name }) => name === asked) ?? sections[0];
  const faulty = sections.filter((section) => isFaulty(section, form.errors)).map(({ name }) => name);
  const led = useRef<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a refusal leads to another section, and once: the errors of a preview do not
  useEffect(() => {
    const [first] = faulty;
    if (!refused || refused === led.current || first === undefined) return;
    led.current = refused;
    if (!faulty.includes(shown)) void navigate({ to: ".", search: { section: first }, replace: true });
  }, [refused, form.errors]);
  return (
    <div className="tefo-sectioned">
      <nav aria-label={label}>
        <ul>
          {sections.map(({ name, label: text }) => (
            <li key={name}>
              <Link
                to="."
                search={{ section: name }}
                replace
                data-shown={name === shown}
                aria-current={name === shown ? "page" : undefined}
                data-faulty={faulty.includes(name)}
              >
                {text}
                {faulty.includes(name) && <span className="tefo-hidden">, has an error</span>}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {sections.map(({ name, fields }) => (
        <div key={name} className="tefo-section" hidden={name !== shown}>
          {fields(form)}
        </div>
      ))}
    </div>
  );
}
