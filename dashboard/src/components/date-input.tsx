import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { useRef, useState } from "react";
import { useActing } from "../api/session.ts";
import { dayTyped, formatDay, isDay } from "../lib/time.ts";
import { Icon } from "./icon.tsx";

type FieldProps = Omit<TextInputProps, "value" | "defaultValue" | "onChange" | "onSelect" | "type" | "min">;

interface DateInputProps extends FieldProps {
  /** A day such as `2027-04-14`; empty: none; what was typed while it is no day. */
  readonly value?: string;
  onChange?(value: string): void;
  /** Called with a whole day, or none, when it was picked, typed with its year of four digits, entered, or the field was left. */
  onSettled?(day: string): void;
  /** The first day that the calendar offers. */
  readonly min?: string;
}

/**
 * A day as the house writes it, `14 Apr 2027`, typed in any usual way or picked from the browser's calendar. The browser's own
 * field would show it in the order of the browser's language.
 */
export function DateInput({
  value = "",
  onChange,
  onSettled,
  onBlur,
  onKeyDown,
  error,
  min,
  ...props
}: DateInputProps) {
  const { now } = useActing().membership.clock;
  const [typed, setTyped] = useState<string | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const settle = (day: string) => (day === "" || isDay(day)) && onSettled?.(day);
  const pick = (day: string) => {
    setTyped(null);
    onChange?.(day);
    settle(day);
  };
  return (
    <TextInput
      {...props}
      autoComplete="off"
      placeholder="e.g. 14 Apr 2027"
      maxLength={40}
      value={typed ?? (isDay(value) ? formatDay(value) : value)}
      error={error ?? (typed === null && value !== "" && !isDay(value) && "Enter a day, for example 14 Apr 2027")}
      onChange={({ currentTarget: { value: text } }) => {
        const day = dayTyped(text, now);
        setTyped(text);
        onChange?.(day ?? text.trim());
        if (day && /\d{4}/.test(text)) settle(day);
      }}
      onBlur={(event) => {
        setTyped(null);
        settle(value);
        onBlur?.(event);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") settle(value);
        onKeyDown?.(event);
      }}
      rightSection={
        <>
          <ActionIcon variant="subtle" color="gray" aria-label="Calendar" onClick={() => picker.current?.showPicker()}>
            <Icon name="calendar" size={16} />
          </ActionIcon>
          <input
            ref={picker}
            type="date"
            className="tefo-picker"
            tabIndex={-1}
            aria-hidden
            min={min}
            value={isDay(value) ? value : ""}
            onChange={({ currentTarget }) => pick(currentTarget.value)}
          />
        </>
      }
    />
  );
}

/** A day that takes effect once it is whole, such as a filter. */
export function DayFilter({
  value,
  onChange,
  ...props
}: Pick<DateInputProps, "label" | "size"> & Required<Pick<DateInputProps, "value" | "onChange">>) {
  const [draft, setDraft] = useState<string | null>(null);
  const settle = (day: string) => {
    setDraft(null);
    if (day !== value) onChange(day);
  };
  return <DateInput {...props} value={draft ?? value} onChange={setDraft} onSettled={settle} />;
}
