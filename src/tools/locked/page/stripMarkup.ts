/** Counts the tags of a page and their nesting depth in one linear pass. */
export function measureMarkup(html: string): { readonly tags: number; readonly depth: number } {
  let tags = 0;
  let open = 0;
  let depth = 0;
  for (const { name, closes } of findTags(html)) {
    tags += 1;
    if (UNNESTED.has(name)) continue;
    open = closes ? Math.max(0, open - 1) : open + 1;
    depth = Math.max(depth, open);
  }
  return { tags, depth };
}

/** The text of a page without markup, scripts and styles, in linear time. */
export function stripMarkup(html: string): string {
  const parts: string[] = [];
  let at = 0;
  let hidden: string | undefined;
  for (const { name, closes, start, end } of findTags(html)) {
    if (hidden === undefined) parts.push(html.slice(at, start), INLINE.has(name) ? '' : '\n');
    at = end;
    if (hidden === undefined && !closes && HIDDEN.has(name)) hidden = name;
    else if (closes && name === hidden) hidden = undefined;
  }
  if (hidden === undefined) parts.push(html.slice(at));
  return parts
    .join('')
    .replace(/&(lt|gt|quot|nbsp|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Void tags, and tags whose end is so often omitted that they say nothing about the depth. */
const UNNESTED = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th option thead tbody tfoot !--'.split(
    ' ',
  ),
);
const INLINE = new Set('a abbr b code em i kbd small span strong sub sup u wbr'.split(' '));
const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  amp: '&',
};

interface Tag {
  /** Lower case; `!--` for a comment. */
  readonly name: string;
  readonly closes: boolean;
  readonly start: number;
  readonly end: number;
}

function* findTags(html: string): Iterable<Tag> {
  for (let start = html.indexOf('<'); start >= 0; ) {
    const comment = html.startsWith('<!--', start);
    const found = html.indexOf(comment ? '-->' : '>', start);
    // An unclosed tag is text, and so is everything after it.
    if (found < 0) return;
    const end = found + (comment ? 3 : 1);
    const [, slash, name = ''] =
      /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(start, start + 40)) ?? [];
    if (comment) yield { name: '!--', closes: false, start, end };
    else if (name !== '') yield { name: name.toLowerCase(), closes: slash === '/', start, end };
    start = html.indexOf('<', name === '' && !comment ? start + 1 : end);
  }
}
