import { type Element, heightOf, type Sheet } from "./sheet.ts";
import type { Style, TextLine } from "./text.ts";

/** Text of one style in a cell; the pieces of a cell are placed one below the other. */
export interface Piece {
  readonly text: string;
  readonly style: Style;
}

/** A cell holds pieces, a row a cell for every column. */
export type Row = readonly (readonly Piece[])[];

/** Exactly one column has `fill` and takes the remaining width; the others are as wide as their content. */
export interface Column {
  readonly head: string;
  readonly align: "left" | "right";
  readonly fill?: boolean;
}

/** A table that may span pages, with its head on each. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly headStyle: Style;
  readonly lineColour: string;
  /** Points to keep free below the last row on its page, so that totals never begin a page alone. */
  readonly reserve: number;
}

interface Placed extends Column {
  readonly x: number;
  readonly width: number;
}

const GAP = 18;
const PADDING = 5;
const CONTENT_MAX = 112;
/** Rows higher than this (points) may be split at the end of a page. */
const UNSPLIT_ROW_MAX = 96;
/** Smallest part of a split row on either page, in points. */
const SPLIT_PART_MIN = 36;

/** Draws the table from `sheet.y` on, and sets it below the last row. */
export function drawTable(sheet: Sheet, table: Table): void {
  const columns = placeColumns(sheet, table);
  const element = sheet.element("Table");
  drawHead(sheet, table, columns, sheet.element("TR", element));
  const rows = table.rows.map(
    (row): Cells =>
      columns.map(({ width }, column) =>
        (row[column] ?? []).flatMap(({ text, style }) => sheet.lines(text, style, width)),
      ),
  );
  for (const [index, cells] of rows.entries())
    drawRow(sheet, table, columns, {
      cells,
      reserve: reserveUnder(index, rows, table.reserve),
      element: sheet.element("TR", element),
    });
}

/** The last two rows stay on one page with the totals. */
function reserveUnder(index: number, rows: readonly Cells[], reserve: number): number {
  if (index === rows.length - 1) return reserve;
  const last = rows.at(-1);
  if (index < rows.length - 2 || !last || heightOfRow(last) > UNSPLIT_ROW_MAX) return 0;
  return heightOfRow(last) + reserve;
}

function placeColumns(sheet: Sheet, { columns, rows, headStyle }: Table): Placed[] {
  const widths = columns.map(({ head, fill }, column) => {
    if (fill) return 0;
    const texts = rows.flatMap((row) => row[column] ?? []).map(({ text, style }) => sheet.textWidth(text, style));
    // A little more, so that rounding causes no line break.
    return Math.min(CONTENT_MAX, Math.max(sheet.textWidth(head, headStyle), ...texts)) + 0.1;
  });
  const taken = widths.reduce((sum, width) => sum + width, 0) + GAP * (columns.length - 1);
  let x = sheet.left;
  return columns.map((column, index) => {
    const placed = { ...column, x, width: column.fill ? sheet.width - taken : (widths[index] ?? 0) };
    x += placed.width + GAP;
    return placed;
  });
}

/** Without `row` (on later pages) the head is decoration for screen readers. */
function drawHead(sheet: Sheet, table: Table, columns: readonly Placed[], row?: Element): void {
  const height = table.headStyle.leading + 2 * PADDING;
  sheet.ensureSpace(height + PADDING + SPLIT_PART_MIN);
  for (const { head, x, width, align } of columns) {
    const at = { x, y: sheet.y + PADDING, width, align };
    const lines = sheet.lines(head, table.headStyle, width);
    sheet.write(lines, at, row && { of: sheet.element("TH", row), type: "TH" });
  }
  sheet.y += height;
  sheet.rule({ x: sheet.left, y: sheet.y, width: sheet.width }, table.headStyle.colour, 1);
  sheet.y += 1;
}

interface LaidRow {
  readonly cells: Cells;
  readonly reserve: number;
  readonly element: Element;
}

function drawRow(sheet: Sheet, table: Table, columns: readonly Placed[], row: LaidRow): void {
  const parts = columns.map(() => sheet.element("TD", row.element));
  let { cells } = row;
  // Whether the page has only the head: then a new page would give no more space.
  let alone = false;
  for (;;) {
    const height = heightOfRow(cells);
    const split =
      height + row.reserve <= sheet.rest || height <= UNSPLIT_ROW_MAX ? null : splitRow(cells, height, sheet.rest);
    if (!split && height + row.reserve > sheet.rest && !alone) {
      continueOnNewPage(sheet, table, columns);
      alone = true;
      continue;
    }
    drawCells(sheet, columns, parts, split?.now ?? cells);
    if (!split) break;
    continueOnNewPage(sheet, table, columns);
    alone = true;
    cells = split.later;
  }
  sheet.rule({ x: sheet.left, y: sheet.y, width: sheet.width }, table.lineColour);
  sheet.y += 0.75;
}

type Cells = readonly (readonly TextLine[])[];

const heightOfRow = (cells: Cells): number => Math.max(...cells.map(heightOf)) + 2 * PADDING;

/** Splits a row: the lines that fit in `rest` points, and those of the next page; null when either part would be too small. */
function splitRow(cells: Cells, height: number, rest: number): { now: Cells; later: Cells } | null {
  const limit = Math.min(rest, height - SPLIT_PART_MIN) - 2 * PADDING;
  if (limit < SPLIT_PART_MIN) return null;
  const counts = cells.map((lines) => {
    let used = 0;
    const over = lines.findIndex(({ style }) => {
      used += style.leading;
      return used > limit;
    });
    return over === -1 ? lines.length : over;
  });
  return {
    now: cells.map((lines, index) => lines.slice(0, counts[index])),
    later: cells.map((lines, index) => lines.slice(counts[index])),
  };
}

function drawCells(sheet: Sheet, columns: readonly Placed[], parts: readonly Element[], cells: Cells): void {
  for (const [index, { x, width, align }] of columns.entries()) {
    const of = parts[index];
    if (of) sheet.write(cells[index] ?? [], { x, y: sheet.y + PADDING, width, align }, { of, type: "TD" });
  }
  sheet.y += heightOfRow(cells);
}

function continueOnNewPage(sheet: Sheet, table: Table, columns: readonly Placed[]): void {
  sheet.newPage();
  drawHead(sheet, table, columns);
}
