import path from 'node:path';
import type { Act, ShellAnalysis, ShellWord } from '../../../../src/permissions/shell/acts.ts';

/**
 * What an analysis says of a line, one text for each act, doubt and git command. Left out is what
 * most acts share: the folder that the line starts in, and empty sets; of a doubt, all but its code.
 */
export function showAnalysis(line: string, start: string, analysis: ShellAnalysis): string[] {
  const { acts, doubts, readings = [], moves = [], refused, compound } = analysis;
  return [
    ...acts.map((act) => showAct(act, start)),
    ...readings.filter((each) => each !== line).map((each) => `also read as ${showText(each)}`),
    ...moves.map(({ words, ...move }) => `git ${showWords(words)}${showRest(move, start)}`),
    ...(compound === true ? ['compound'] : []),
    ...doubts.map((doubt) => showDoubt(doubt)),
    ...(refused === undefined ? [] : ['refused']),
  ].map((text) => text.replaceAll(path.dirname(start), ''));
}

function showAct(act: Act, start: string): string {
  if (act.kind === 'host')
    return `contact ${act.url}${act.role === 'operand' ? '' : ` (${act.role})`}`;
  if (act.kind === 'command') {
    const { kind: _, words, inFolder, doubt, ...rest } = act;
    const there = inFolder === undefined ? '' : ` · there ${showWords(inFolder.words)}`;
    return `run ${showWords(words)}${showRest(rest, start)}${there}${showOwnDoubt(doubt)}`;
  }
  const { kind: _, access, target, role, doubt, command, ...rest } = act;
  const verb = access === 'fs.read' ? 'read' : 'write';
  const how = role === 'operand' ? '' : ` (${role})`;
  const by = command === undefined ? '' : ` · by ${showWords(command)}`;
  return `${verb} ${showText(target)}${how}${showRest(rest, start)}${by}${showOwnDoubt(doubt)}`;
}

const showOwnDoubt = (doubt: string | undefined) =>
  doubt === undefined ? '' : ` · ${showDoubt(doubt)}`;

/** Sentences may change, but not what they are about. */
function showDoubt(sentence: string): string {
  const code = sentence.match(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g) ?? [];
  return ['doubt', ...code].join(' ').replaceAll('\n', '\\n');
}

/** A word that isn't literal is followed by `?`, and more facts of a word stand in braces. */
function showWords(words: readonly ShellWord[]): string {
  return words
    .map(({ value, literal, why: _, ...more }) => {
      const facts = Object.entries(more).map(showFact);
      return `${showText(value)}${literal ? '' : '?'}${facts.length === 0 ? '' : `{${facts.join(' ')}}`}`;
    })
    .join(' ');
}

function showText(text: string): string {
  return /^[\w./:=@%+,*~$-]+$/.test(text) ? text : JSON.stringify(text);
}

function showRest(rest: object, start: string): string {
  return Object.entries(rest)
    .filter(([key, value]) => {
      if (key === 'folders') return JSON.stringify(value) !== JSON.stringify([start]);
      return key !== 'why' && !(value instanceof Set && value.size === 0);
    })
    .map((entry) => ` · ${showFact(entry)}`)
    .join('');
}

function showFact([name, value]: readonly [string, unknown]): string {
  if (value === true) return name;
  return `${name} ${value instanceof Set ? [...value].sort().join(' ') : JSON.stringify(value)}`;
}
