/** Strokes of each icon on a grid of 24. */
const STROKES = {
  home: "M4 11l8-7 8 7M6 10v9h12v-9M10 19v-5h4v5",
  money: "M3 6h18v12H3zM12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5M6 9v0M18 15v0",
  people:
    "M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7M3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 010 6.5M18 14.5c2 .8 3 2.8 3 5.5",
  repeat: "M4 12V9a3 3 0 013-3h12m-3-3l3 3-3 3M20 12v3a3 3 0 01-3 3H5m3 3l-3-3 3-3",
  bank: "M3 10l9-6 9 6H3zM5 10v8M10 10v8M14 10v8M19 10v8M3 20h18",
  box: "M12 3l8 4.5v9L12 21l-8-4.5v-9L12 3zM4 7.5l8 4.5 8-4.5M12 12v9",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16",
  gear: "M12 9a3 3 0 100 6 3 3 0 000-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2",
  search: "M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13M15.5 15.5L20 20",
  plus: "M12 5v14M5 12h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6L6 18",
  more: "M5 12v0M12 12v0M19 12v0",
  down: "M12 4v12m-5-5l5 5 5-5M5 20h14",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 019.5 4a8.5 8.5 0 1010.5 10.5z",
  out: "M14 4h6v6M20 4l-9 9M10 6H5v13h13v-5",
  bolt: "M13 3L5 13h6l-1 8 8-10h-6l1-8z",
  columns: "M4 5h16v14H4zM10 5v14M15 5v14",
  document: "M6.5 3.5h8l3.5 3.5v13.5H6.5zM14.5 3.5V7H18M9.5 11.5h5M9.5 15.5h5",
  quote: "M6.5 3.5h8l3.5 3.5v13.5H6.5zM14.5 3.5V7H18M9.5 14l2 2 3.5-4",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1.2-1.2",
  match: "M4 7h9M4 12h5M4 17h7M13.5 15.5l2.5 2.5 4.5-5.5",
  report: "M4.5 19.5h15M7 16v-4M12 16V6M17 16v-7",
  calendar: "M4 6h16v14H4zM4 10.5h16M8.5 3.5v4M15.5 3.5v4",
  mail: "M3.5 6h17v12h-17zM4 6.5l8 6 8-6",
  "more-than": "M12 19V5.5M6.5 11 12 5.5 17.5 11",
  "less-than": "M12 5v13.5M6.5 13 12 18.5 17.5 13",
  flag: "M6 20.5v-16h11l-2 4 2 4H6",
  key: "M8 11a4 4 0 100 8 4 4 0 000-8M11 12l9-9M16 7l3 3",
} as const;

export type IconName = keyof typeof STROKES;

/** A drawn icon beside words with the same meaning; hidden from screen readers. */
export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    aria-hidden="true"
    focusable="false"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={STROKES[name]} />
  </svg>
);
