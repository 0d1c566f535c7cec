const BROWSERS = [
  ["Edge", /Edg(?:e|A|iOS)?\//],
  ["Opera", /OPR\//],
  ["Samsung Internet", /SamsungBrowser\//],
  ["Firefox", /Firefox\/|FxiOS\//],
  ["Chrome", /Chrome\/|CriOS\//],
  ["Safari", /Safari\//],
] as const;
const SYSTEMS = [
  ["Android", /Android/],
  ["iPhone or iPad", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
] as const;

/** A browser's `User-Agent` in short: `Firefox, Windows`. An unknown one stays unchanged. */
export function browserName(agent: string | null): string {
  if (!agent) return "Unknown";
  const [browser] = BROWSERS.find(([, sign]) => sign.test(agent)) ?? [];
  const [system] = SYSTEMS.find(([, sign]) => sign.test(agent)) ?? [];
  return browser ? [browser, system].filter(Boolean).join(", ") : agent;
}
