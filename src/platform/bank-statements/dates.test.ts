import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DateColumn, type DateOrder, orderOf, readDate } from "./dates.ts";

describe("a date by its order", () => {
  const CASES: [string, DateOrder, string | null][] = [
    ["2026-11-05", "ymd", "2026-11-05"],
    ["2026/11/05 10:15", "ymd", "2026-11-05"],
    ["2026-11-05T10:15:00+02:00", "ymd", "2026-11-05"],
    ["20261105", "ymd", "2026-11-05"],
    ["05112026", "dmy", "2026-11-05"],
    ["05/11/2026", "dmy", "2026-11-05"],
    ["5.11.2026", "dmy", "2026-11-05"],
    ["05/11/2026", "mdy", "2026-05-11"],
    ["05/11/26", "dmy", "2026-11-05"],
    ["2026-05-11", "ydm", "2026-11-05"],
    ["01Nov2022", "dmy", "2022-11-01"],
    ["1 November 2022", "mdy", "2022-11-01"],
    ["Nov 5, 2026", "dmy", "2026-11-05"],
    ["5 Mrt 26", "dmy", "2026-03-05"],
    ["29/02/2028", "dmy", "2028-02-29"],
    ["20261105235959", "ymd", "2026-11-05"],
    ["20261105240000", "ymd", "2026-11-05"],
    ["20261105250000[+2:SAST]", "ymd", null],
    ["20261105106100", "ymd", null],
    ["2026-11-05T25:00:00", "ymd", null],
    ["2026-11-05 10:61", "ymd", null],
    ["29/02/2026", "dmy", null],
    ["31/04/2026", "dmy", null],
    ["13/13/2026", "dmy", null],
    ["1/2", "dmy", null],
    ["12345", "ymd", null],
    ["", "ymd", null],
    ["5 Foo 2026", "dmy", null],
    ["05/11/126", "dmy", null],
  ];
  for (const [cell, order, day] of CASES) test(`${cell} as ${order}`, () => assert.equal(readDate(cell, order), day));
});

describe("a format names an order", () => {
  const CASES: [string, DateOrder | null][] = [
    ["DD/MM/YYYY", "dmy"],
    ["mm-dd-yyyy", "mdy"],
    ["YYYYMMDD", "ymd"],
    ["YYYY-DD-MM", "ydm"],
    ["DD MMM YY", "dmy"],
    ["D/M/YYYY", "dmy"],
    ["DD/MM", null],
    ["Y-M-D", null],
    ["DD/MM/YYYY HH:mm", null],
    ["", null],
    ["MDMYY", null],
  ];
  for (const [format, order] of CASES) test(JSON.stringify(format), () => assert.equal(orderOf(format), order));
});

describe("the order of a column", () => {
  const CASES: [readonly string[], DateOrder | RegExp][] = [
    [["01/02/2026", "13/02/2026"], "dmy"],
    [["01/02/2026", "02/13/2026"], "mdy"],
    [["05/05/2026", "06/06/2026"], "dmy"],
    [["01/02/2026", "02/03/2026"], /could be DD\/MM\/YYYY or MM\/DD\/YYYY: say which with dateFormat/],
    [["2026-01-02", "2026-03-04"], "ymd"],
    [["2026-01-02", "2026-13-04"], "ydm"],
    [["20260102", "20260131"], "ymd"],
    [["1 Nov 2026", "2 Nov 2026"], "ymd"],
    [["13/02/2026", "02/13/2026"], /more than one order: line 2 .* line 3/],
  ];
  for (const [cells, expected] of CASES)
    test(cells.join(" "), () => {
      const column = new DateColumn();
      for (const [place, cell] of cells.entries()) assert.ok(column.add(place + 2, cell));
      const found = column.order();
      if (expected instanceof RegExp) assert.match(typeof found === "object" ? found.fault : found, expected);
      else assert.equal(found, expected);
    });
  test("a cell that is a date in no order is told apart", () =>
    assert.equal(new DateColumn().add(1, "31/02/2026"), false));
});
