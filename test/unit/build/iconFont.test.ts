import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cutIcons, readIconNames } from '../../../build/iconFont.mjs';
import { ICONS } from '../../../src/webview/controls/icons.ts';
import { ROOT } from '../../workbench/paths.ts';

const CODICONS = path.join(ROOT, 'node_modules/@vscode/codicons/dist');
const STYLE = readFileSync(path.join(CODICONS, 'codicon.css'), 'utf8');
const read = (file: string) => readFileSync(path.join(CODICONS, file));
const WHOLE = read('codicon.ttf');

function getTable(font: Buffer, name: string): Buffer {
  for (let at = 12; at < 12 + 16 * font.readUInt16BE(4); at += 16) {
    if (font.toString('latin1', at, at + 4) !== name) continue;
    const begin = font.readUInt32BE(at + 8);
    return font.subarray(begin, begin + font.readUInt32BE(at + 12));
  }
  throw new Error(`No table ${name}.`);
}

/** The outline and the width of a character, as a reader of fonts finds them. */
function readGlyph(font: Buffer, point: number): { outline: string; width: number } {
  const cmap = getTable(font, 'cmap');
  const lists = Array.from({ length: cmap.readUInt16BE(2) }, (_, at) =>
    cmap.subarray(cmap.readUInt32BE(8 + 8 * at)),
  );
  const list = lists.find((each) => each.readUInt16BE(0) === 12);
  assert.ok(list);
  const groups = Array.from({ length: list.readUInt32BE(12) }, (_, at) => ({
    first: list.readUInt32BE(16 + 12 * at),
    last: list.readUInt32BE(20 + 12 * at),
    glyph: list.readUInt32BE(24 + 12 * at),
  }));
  const found = groups.find(({ first, last }) => point >= first && point <= last);
  assert.ok(found, `character ${point.toString(16)}`);
  const glyph = found.glyph + point - found.first;
  const isLong = getTable(font, 'head').readInt16BE(50) === 1;
  const loca = getTable(font, 'loca');
  const offset = (at: number) =>
    isLong ? loca.readUInt32BE(4 * at) : 2 * loca.readUInt16BE(2 * at);
  const outline = getTable(font, 'glyf').subarray(offset(glyph), offset(glyph + 1));
  return {
    outline: outline.toString('hex').replace(/(00)+$/, ''),
    width: getTable(font, 'hmtx').readUInt16BE(4 * glyph),
  };
}

function readCut(style: string) {
  const [, text = ''] = /base64,([^"]+)"/.exec(style) ?? [];
  const icons = [...style.matchAll(/^\.codicon-([\w-]+):before \{ content: "\\(\w+)" \}/gm)];
  return {
    font: Buffer.from(text, 'base64'),
    points: new Map(icons.map(([, name = '', point = '']) => [name, Number.parseInt(point, 16)])),
  };
}

test('the style of the page has the icons that it draws, each with the outline and width of its own', async () => {
  const names = await readIconNames();
  assert.deepEqual(names, ICONS);
  const style = cutIcons(STYLE, names, read);
  const { font, points } = readCut(style);
  assert.deepEqual([...points.keys()].sort(), [...names].sort());
  for (const [name, point] of points) {
    const glyph = readGlyph(font, point);
    assert.deepEqual(glyph, readGlyph(WHOLE, point), name);
    assert.notEqual(glyph.outline, '', name);
  }
  assert.match(style, /^\.codicon-loading\.codicon-modifier-spin/m);
  assert.ok(font.length < WHOLE.length / 8, `${font.length} of ${WHOLE.length} bytes`);
});

test('the marks that the style of the chat draws by itself are among its icons', async () => {
  const { points } = readCut(cutIcons(STYLE, await readIconNames(), read));
  const own = readFileSync(path.join(ROOT, 'src/webview/main.css'), 'utf8');
  const drawn = [...own.matchAll(/content: "\\(e[\da-f]{3})"/g)];
  assert.equal(drawn.length, 2);
  const known = new Set(points.values());
  for (const [, point = ''] of drawn) assert.ok(known.has(Number.parseInt(point, 16)), point);
});

test('an icon that there is not ends the build', () => {
  assert.throws(() => cutIcons(STYLE, ['add', 'no-such-icon'], read), /no-such-icon/);
});
