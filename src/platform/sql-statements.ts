/** Comments, texts, names in quotation marks, bodies between dollar signs, and the end of a statement. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

/**
 * The statements of a file of SQL, without those that are empty. A distributed PostgreSQL sends each command to its
 * nodes as the text of its query, so that a query may hold only one.
 */
export function statementsIn(sql: string): string[] {
  const ends = [...sql.matchAll(TOKEN)].filter(([token]) => token === ";").map(({ index }) => index);
  return [...ends, sql.length]
    .map((end, at) => sql.slice((ends[at - 1] ?? -1) + 1, end).trim())
    .filter((statement) => statement.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim() !== "");
}
