// The icon font with the icons that the chat draws, as text in its style: a file of its own would hold back the page.

import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';

const NAMES = 'src/webview/controls/icons.ts';

/** The names of the icons that the chat draws. */
export async function readIconNames() {
  const { code } = transformSync(readFileSync(NAMES, 'utf8'), { loader: 'ts' });
  const { ICONS } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return ICONS;
}

/** A plugin that cuts the style of the icon font down to some icons, and puts the font into it. */
export function useIcons(names) {
  return {
    name: 'icons',
    setup(build) {
      build.onLoad({ filter: /codicon\.css$/ }, ({ path }) => ({
        contents: cutIcons(readFileSync(path, 'utf8'), names, (file) =>
          readFileSync(new URL(file, `file://${path}`)),
        ),
        loader: 'css',
      }));
    },
  };
}

/** Throws if there is no such icon, or the style or the font is of another form than this one knows. */
export function cutIcons(style, names, read) {
  const wanted = new Set(names);
  const points = new Set();
  const rules = style.replace(ICON, (rule, name, point) => {
    if (!wanted.has(name)) return '';
    points.add(Number.parseInt(point, 16));
    wanted.delete(name);
    return rule;
  });
  if (wanted.size > 0) throw new Error(`No icon has this name: ${[...wanted].join(', ')}`);
  const [whole, file] = FILE.exec(rules) ?? [];
  if (whole === undefined) throw new Error('The style of the icons names no font.');
  const font = cutFont(read(file), [...points]).toString('base64');
  return rules.replace(whole, `url("data:font/ttf;base64,${font}")`);
}

const ICON = /^\.codicon-([\w-]+):before \{ content: "\\([\da-f]+)" \}\n/gm;
const FILE = /url\("(\.\/codicon\.ttf)[^"]*"\)/;

/** A TrueType font with some characters of another, all of them simple outlines. */
export function cutFont(font, points) {
  const tables = readTables(font);
  const find = readCharacters(tables.cmap);
  const glyphs = [...new Set([0, ...points.map(find)])];
  const { glyf, loca } = cutOutlines(tables, glyphs);
  const { head, maxp, hhea } = tables;
  // Both tables have an entry for each glyph, with offsets of four bytes.
  head.writeInt16BE(1, 50);
  maxp.writeUInt16BE(glyphs.length, 4);
  const hmtx = cutWidths(tables, glyphs);
  hhea.writeUInt16BE(glyphs.length, 34);
  const cmap = writeCharacters(points.map((point) => [point, glyphs.indexOf(find(point))]));
  const post = Buffer.concat([tables.post.subarray(0, 32)]);
  // Without the names of the glyphs.
  post.writeUInt32BE(0x00030000, 0);
  const { name } = tables;
  return writeFont({
    'OS/2': tables['OS/2'],
    cmap,
    glyf,
    head,
    hhea,
    hmtx,
    loca,
    maxp,
    name,
    post,
  });
}

function readTables(font) {
  const tables = {};
  for (let at = 0; at < font.readUInt16BE(4); at++) {
    const entry = 12 + 16 * at;
    const begin = font.readUInt32BE(entry + 8);
    const table = font.subarray(begin, begin + font.readUInt32BE(entry + 12));
    tables[font.toString('latin1', entry, entry + 4)] = Buffer.from(table);
  }
  return tables;
}

/** Returns what finds the glyph of a character. */
function readCharacters(cmap) {
  for (let at = 0; at < cmap.readUInt16BE(2); at++) {
    const begin = cmap.readUInt32BE(8 + 8 * at);
    if (cmap.readUInt16BE(begin) === 12) return (point) => findGlyph(cmap.subarray(begin), point);
  }
  throw new Error('The icon font lists its characters in another form.');
}

function findGlyph(list, point) {
  for (let at = 0; at < list.readUInt32BE(12); at++) {
    const group = 16 + 12 * at;
    const first = list.readUInt32BE(group);
    if (point < first || point > list.readUInt32BE(group + 4)) continue;
    return list.readUInt32BE(group + 8) + point - first;
  }
  throw new Error(`The icon font has no character ${point.toString(16)}.`);
}

function cutOutlines({ glyf, loca, head }, glyphs) {
  const isLong = head.readInt16BE(50) === 1;
  const offset = (at) => (isLong ? loca.readUInt32BE(4 * at) : 2 * loca.readUInt16BE(2 * at));
  const outlines = glyphs.map((at) => glyf.subarray(offset(at), offset(at + 1)));
  const offsets = Buffer.alloc(4 * (glyphs.length + 1));
  let end = 0;
  const parts = outlines.map((outline, at) => {
    if (outline.length > 0 && outline.readInt16BE(0) < 0) {
      throw new Error('A glyph of the icon font is made of others.');
    }
    const padded = pad(outline);
    end += padded.length;
    offsets.writeUInt32BE(end, 4 * (at + 1));
    return padded;
  });
  return { glyf: Buffer.concat(parts), loca: offsets };
}

function cutWidths({ hmtx, hhea }, glyphs) {
  const count = hhea.readUInt16BE(34);
  if (Math.max(...glyphs) >= count) throw new Error('A glyph of the icon font has no width.');
  return Buffer.concat(glyphs.map((at) => hmtx.subarray(4 * at, 4 * at + 4)));
}

/** Segments of one character each. */
function writeCharacters(pairs) {
  const sorted = [...pairs].sort(([one], [other]) => one - other);
  const cmap = Buffer.alloc(12 + 16 + 12 * sorted.length);
  cmap.writeUInt16BE(1, 2);
  // Unicode, all of it.
  cmap.writeUInt16BE(3, 4);
  cmap.writeUInt16BE(10, 6);
  cmap.writeUInt32BE(12, 8);
  cmap.writeUInt16BE(12, 12);
  cmap.writeUInt32BE(cmap.length - 12, 16);
  cmap.writeUInt32BE(sorted.length, 24);
  sorted.forEach(([point, glyph], at) => {
    for (const [part, value] of [point, point, glyph].entries()) {
      cmap.writeUInt32BE(value, 28 + 12 * at + 4 * part);
    }
  });
  return cmap;
}

function writeFont(tables) {
  const entries = Object.entries(tables);
  const directory = Buffer.alloc(12 + 16 * entries.length);
  const power = 2 ** Math.floor(Math.log2(entries.length));
  directory.writeUInt32BE(0x00010000, 0);
  const counts = [entries.length, 16 * power, Math.log2(power), 16 * (entries.length - power)];
  for (const [at, count] of counts.entries()) directory.writeUInt16BE(count, 4 + 2 * at);
  let begin = directory.length;
  entries.forEach(([tag, table], at) => {
    const entry = 12 + 16 * at;
    directory.write(tag, entry, 'latin1');
    directory.writeUInt32BE(sum(table), entry + 4);
    directory.writeUInt32BE(begin, entry + 8);
    directory.writeUInt32BE(table.length, entry + 12);
    begin += pad(table).length;
  });
  return Buffer.concat([directory, ...entries.map(([, table]) => pad(table))]);
}

function pad(table) {
  return Buffer.concat([table], Math.ceil(table.length / 4) * 4);
}

/** The checksum of a table. */
function sum(table) {
  const padded = pad(table);
  let total = 0;
  for (let at = 0; at < padded.length; at += 4) total = (total + padded.readUInt32BE(at)) >>> 0;
  return total;
}
