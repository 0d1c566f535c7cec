import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/property.ts";
import { accentPalette, contrast, DEFAULT_ACCENT, PAPER, parseColour } from "./colour.ts";

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("contrast is WCAG's", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#ffffff", "#ffffff"), 1);
  assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
});

test("a colour is three or six hex digits", () => {
  assert.equal(parseColour("#0AF"), "#00aaff");
  assert.equal(parseColour("#0B5D4B"), "#0b5d4b");
  for (const text of ["", "0b5d4b", "#12345", "red", "#12345g", "#123456;}", "#123456\n"])
    assert.equal(parseColour(text), null, text);
});

test("without a usable colour the palette is Tefo's", () => {
  assert.equal(accentPalette(null).accent, DEFAULT_ACCENT);
  assert.equal(accentPalette("url(//evil)").accent, DEFAULT_ACCENT);
});

test("text has enough contrast with every colour", () => {
  fc.assert(
    fc.property(hex, (colour) => {
      const palette = accentPalette(colour);
      assert.equal(palette.accent, colour);
      assert.ok(contrast(palette.onAccent, palette.accent) >= 4.5, "text on the button");
      assert.ok(contrast(palette.onAccent, palette.hover) >= 4.5, "text on the button under the pointer");
      assert.ok(contrast(palette.ink, "#ffffff") >= 4.5, "links on white");
      assert.ok(contrast(palette.ink, PAPER) >= 4.5, "links on paper");
      assert.ok(contrast("#595852", palette.tint) >= 4.5, "muted text on what is selected");
    }),
    { examples: [["#000000"], ["#ffffff"], ["#ffff00"], ["#0000ff"], ["#777777"]] },
  );
});
