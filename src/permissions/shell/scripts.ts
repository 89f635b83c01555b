/** Whether a sed script only selects, prints and replaces: no `e`, `w`, `r` and nothing we do not know. */
export function isHarmlessSed(script: string): boolean {
  let rest = script.trim();
  // One command a round; every round takes at least one character away.
  while (rest !== '') {
    const next = skipSedCommand(rest);
    if (next === undefined || next.length >= rest.length) return false;
    rest = next.replace(/^[\s;}]+/, '');
  }
  return true;
}

const SED_ADDRESS = /^(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/[IM]?)/;
const SED_REPLACE = /^s([^\w\s\\])/;

function skipSedCommand(text: string): string | undefined {
  let rest = text.replace(SED_ADDRESS, '');
  if (rest !== text) rest = rest.replace(/^\s*,\s*(?:[+~]?\d+|\$|\/(?:[^/\\\n]|\\.)*\/[IM]?)/, '');
  rest = rest.replace(/^\s*!?\s*/, '');
  const first = rest[0];
  if (first === undefined) return undefined;
  if (first === '{') return rest.slice(1).trimStart() || '}';
  if ('pdPDgGhHxnN=l'.includes(first)) return endOfCommand(rest.slice(1));
  if (first === 'q' || first === 'Q') return endOfCommand(rest.slice(1).replace(/^\s*\d+/, ''));
  const mark = SED_REPLACE.exec(rest)?.[1];
  return mark === undefined ? undefined : skipReplace(rest.slice(2), mark);
}

function skipReplace(text: string, mark: string): string | undefined {
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '\n') return undefined;
    else if (text[index] === mark) marks += 1;
    if (marks === 2) return endOfCommand(text.slice(index + 1).replace(/^[gpiI\d]*/, ''));
  }
  return undefined;
}

/** A command must end here: anything else would be a flag we do not know. */
function endOfCommand(text: string): string | undefined {
  return /^\s*($|[;\n}])/.test(text) ? text : undefined;
}

/** Whether an awk program neither runs, writes nor includes anything. Comparisons with `>` do not pass. */
export function isHarmlessAwk(program: string): boolean {
  const bare = program
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replaceAll('||', '  ')
    .replaceAll('>=', '  ');
  return !/[|>@`]|system|getline|close|fflush|\\\n/.test(bare);
}
